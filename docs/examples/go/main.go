// An adapter in Go: toolreel diff reels --adapter-command 'go run ./adapter'
package main

import ("bufio"; "encoding/json"; "fmt"; "net/http"; "os"; "strings")
type call struct { ID string `json:"id"`; Name string `json:"name"`; Arguments string `json:"arguments"` }
type said struct { Turn int `json:"turn"`; Call *call `json:"call,omitempty"`; End string `json:"end,omitempty"` }
type chunk struct{ Choices []struct {
	Finish string `json:"finish_reason"`
	Delta  struct{ Calls []struct { Index int; ID string; Function call } `json:"tool_calls"` }
} }
func read(base string) (found []call, finish string, err error) {
	answer, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(`{"messages": [], "stream": true}`))
	if err != nil { return }
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		var one chunk
		if json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &one) != nil { continue }
		for _, choice := range one.Choices {
			finish += choice.Finish
			for _, part := range choice.Delta.Calls {
				for len(found) <= part.Index { found = append(found, call{ID: part.ID}) }
				found[part.Index].Name += part.Function.Name
				found[part.Index].Arguments += part.Function.Arguments
			}
		}
	}
	return
}
func main() {
	turns, _ := os.Open(os.Getenv("TOOLREEL_TURNS"))
	calls, _ := os.OpenFile(os.Getenv("TOOLREEL_CALLS"), os.O_WRONLY, 0)
	fmt.Fprintln(calls, `{"ready": {"version": "1.0", "profiles": ["openai"]}}`)
	in, out := json.NewDecoder(turns), json.NewEncoder(calls)
	for turn := (struct { Turn int; Base_url string }{}); in.Decode(&turn) == nil; {
		found, finish, err := read(turn.Base_url)
		for at := range found { if finish == "tool_calls" { out.Encode(said{Turn: turn.Turn, Call: &found[at]}) } }
		if err != nil { out.Encode(said{Turn: turn.Turn, End: "refused"}) } else { out.Encode(said{Turn: turn.Turn, End: "returned"}) }
	}
}
