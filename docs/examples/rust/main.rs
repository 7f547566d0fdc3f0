// An adapter in Rust: rustc adapter.rs && toolreel diff reels --adapter-command ./adapter
// It reads JSON by hand, so that it needs no crate: a text stays escaped, as it came, and goes out as it is.
use std::{collections::BTreeMap, env, fs, io::{BufRead, BufReader, Read, Write}, net::TcpStream};

fn member<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let rest = json.split_once(&format!("\"{key}\":"))?.1.trim_start();
    let Some(text) = rest.strip_prefix('"') else { return rest.split([',', '}', ']']).next() };
    let ends = |&at: &usize| text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 0;
    text.match_indices('"').map(|(at, _)| at).find(ends).map(|at| &text[..at])
}

fn ask(turn: &str) -> std::io::Result<String> {
    let base = member(turn, "base_url").unwrap_or("").trim_start_matches("http://");
    let (host, path) = base.split_once('/').unwrap_or((base, ""));
    let (mut socket, body, mut answer) = (TcpStream::connect(host)?, "{\"messages\": [], \"stream\": true}", String::new());
    write!(socket, "POST /{path}/v1/chat/completions HTTP/1.0\r\nHost: {host}\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    socket.read_to_string(&mut answer).map(|_| answer)
}

fn main() -> std::io::Result<()> {
    let turns = BufReader::new(fs::File::open(env::var("TOOLREEL_TURNS").unwrap())?);
    let mut calls = fs::OpenOptions::new().write(true).open(env::var("TOOLREEL_CALLS").unwrap())?;
    writeln!(calls, "{{\"ready\": {{\"version\": \"1.0\", \"profiles\": [\"openai\"]}}}}")?;
    for turn in turns.lines() {
        let turn = turn?;
        let (number, mut found) = (member(&turn, "turn").unwrap_or("0"), BTreeMap::<String, [String; 3]>::new());
        let Ok(answer) = ask(&turn) else { writeln!(calls, "{{\"turn\": {number}, \"end\": \"refused\"}}")?; continue };
        for part in answer.lines().filter_map(|line| line.split_once("\"tool_calls\":")).map(|(_, part)| part) {
            let call = found.entry(member(part, "index").unwrap_or("0").into()).or_default();
            for (text, key) in call.iter_mut().zip(["id", "name", "arguments"]) { *text += member(part, key).unwrap_or(""); }
        }
        for [id, name, text] in found.values().filter(|_| answer.contains("\"finish_reason\": \"tool_calls\"")) {
            writeln!(calls, "{{\"turn\": {number}, \"call\": {{\"id\": \"{id}\", \"name\": \"{name}\", \"arguments\": \"{text}\"}}}}")?;
        }
        writeln!(calls, "{{\"turn\": {number}, \"end\": \"returned\"}}")?;
    }
    Ok(())
}
