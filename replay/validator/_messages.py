"""Why a finding is made: its code and its message, for every finding that a machine, a turn or a call gives rise to.

A message names the field, the constraint and a legal value, and never what was sent: it may be logged. Codes are
permanent, messages are not; `Reason` is what the code of the validator speaks of.

Three messages are made elsewhere, since they say what a shape or a schema asks for: those of `malformed_event` in the
readers of `profiles`, those of `schema_violation` in `schema`, and those of `invalid_fixture` in `envelope`.
"""

from enum import Enum, unique

from replay.validator.codes import Code


@unique
class Reason(Enum):
    """A code and a message. What stands in braces is filled in where the finding is made (`Ledger.report`)."""

    def __init__(self, code: Code, message: str) -> None:
        self.code = code
        self.message = message

    # Limits
    TOO_MANY_EVENTS = (
        Code.LIMIT_EXCEEDED,
        "a turn may have {limit} events (max_events); this one and the rest are not taken",
    )
    TOO_MANY_SLOTS = Code.LIMIT_EXCEEDED, "a turn may have {limit} slots (max_slots); this one is not opened"
    SLOT_TOO_LONG = Code.LIMIT_EXCEEDED, "the arguments of a slot may have {limit} bytes (max_slot_bytes)"
    TURN_TOO_LONG = Code.LIMIT_EXCEEDED, "the arguments of a turn may have {limit} bytes (max_turn_bytes)"

    # What every family has: slots, and what the request said
    OTHER_ID_OR_NAME = (
        Code.IDENTITY_COLLISION,
        "the slot has an id or name and receives another: two calls share one index, or one is in pieces",
    )
    SAME_ID = Code.DUPLICATE_ID, "another slot of this choice has the same id: a result could not be told apart"
    NO_ID = Code.MISSING_ID, "the call is complete and no delta gave it a non-empty id"
    NO_NAME = Code.MISSING_NAME, "the call is complete and no delta gave it a non-empty name"
    UNKNOWN_EVENT = Code.UNSUPPORTED_EVENT, "the event's type is not one that is known"
    CUT_TRANSPORT = (
        Code.MISSING_TERMINAL,
        "the transport was cut (`capture.stream_end`), so the turn may not be whole",
    )
    NO_CALL_WANTED = (
        Code.UNREQUESTED_CALL,
        "the request forbade tool calls (`capture.tool_choice` is `none`); answer in text",
    )
    ONE_CALL_WANTED = (
        Code.UNREQUESTED_CALL,
        "the request forbade parallel calls (`capture.parallel_tool_calls` is false); make one call at a time",
    )

    # Chunks with choices
    NO_INDEX = Code.MISSING_SLOT, "a tool delta must have an integer `index`; without one it belongs to no call"
    INDEX_BEHIND_COUNTED = (
        Code.MISSING_SLOT,
        "the calls before it have no `index` and are counted; one that has an index belongs to none",
    )
    NO_CHOICES = Code.UNSUPPORTED_EVENT, "a chunk must have `choices`"
    CALLS_IN_CHUNK = (
        Code.UNSUPPORTED_EVENT,
        "tool calls must be in `choices[].delta.tool_calls`, not in the chunk",
    )
    CALLS_IN_CHOICE = (
        Code.UNSUPPORTED_EVENT,
        "tool calls must be in `delta.tool_calls`; those elsewhere in the choice are not read",
    )
    NO_FUNCTION = Code.UNSUPPORTED_EVENT, 'the `type` of a tool call must be "function"'
    LEGACY_FINISH = (
        Code.UNSUPPORTED_EVENT,
        "the finish reason speaks of a function call that is no tool call; `tool_calls` is the one read",
    )
    OTHER_COMPLETION = (
        Code.TURN_COLLISION,
        "the chunk belongs to another completion than the ones before it",
    )
    DELTA_AFTER_FINISH = (
        Code.DELTA_AFTER_TERMINAL,
        "the choice has ended; a tool delta after its finish reason is not taken",
    )
    SECOND_FINISH = Code.DUPLICATE_TERMINAL, "the choice already had its finish reason"
    FINISH_WITHOUT_CALL = (
        Code.TERMINAL_WITHOUT_CALL,
        "the finish reason says `tool_calls`, and the choice has no tool call",
    )
    OTHER_FINISH = (
        Code.WRONG_TERMINAL,
        "the choice has a tool call and must end with `tool_calls`; its calls may be cut short",
    )
    NO_FINISH = Code.MISSING_TERMINAL, "the stream ended before a finish reason completed the call"

    # Events of one message made of blocks. Each family has words of its own for what stands in braces.
    SECOND_MESSAGE = Code.TURN_COLLISION, "another message begins inside the turn"
    NO_BLOCK_INDEX = (
        Code.MISSING_SLOT,
        "a block event must have an integer `{index}`; without one it belongs to no block",
    )
    SAME_BLOCK_AGAIN = Code.DUPLICATE_START, "the block already started, with the same type, id and name"
    OTHER_BLOCK_AGAIN = Code.IDENTITY_COLLISION, "the block already started, with another type, id or name"
    UNKNOWN_BLOCK = Code.UNSUPPORTED_EVENT, "the block's type is not one that is known"
    UNKNOWN_DELTA = Code.UNSUPPORTED_EVENT, "the delta's type is not one that is known"
    BLOCK_TAKEOVER = Code.UNSUPPORTED_EVENT, "another context or model took over after a tool call had begun"
    FRAGMENT_AFTER_INPUT = (
        Code.UNSUPPORTED_EVENT,
        "the call came whole, in the `input` of its start; no fragment may follow",
    )
    UNKNOWN_START = (
        Code.UNSUPPORTED_EVENT,
        "the start has a member that is not known, or its tool call a `type` that is not",
    )
    CALLS_IN_MESSAGE_START = (
        Code.UNSUPPORTED_EVENT,
        "the message begins with tool calls; a call must begin with an event of its own",
    )
    DELTA_OF_NO_BLOCK = Code.ORPHAN_EVENT, "the block of this delta never started"
    DELTA_OF_OTHER_BLOCK = Code.ORPHAN_EVENT, "a delta of this type does not fit its block"
    STOP_OF_NO_BLOCK = Code.ORPHAN_EVENT, "the block of this stop never started"
    SECOND_BLOCK_STOP = Code.DUPLICATE_TERMINAL, "the block of this stop already stopped"
    SECOND_STOP_REASON = (
        Code.DUPLICATE_TERMINAL,
        "the message already had its stop reason, or its `message_stop`",
    )
    SECOND_MESSAGE_STOP = Code.DUPLICATE_TERMINAL, "the message already stopped"
    EVENT_AFTER_MESSAGE = Code.DELTA_AFTER_TERMINAL, "the message has stopped; no block event may follow"
    DELTA_AFTER_BLOCK = Code.DELTA_AFTER_TERMINAL, "the block has stopped; no delta may follow"
    CALL_AFTER_STOP_REASON = (
        Code.DELTA_AFTER_TERMINAL,
        "a tool call may not begin after the message's stop reason",
    )
    INPUT_AFTER_STOP_REASON = (
        Code.DELTA_AFTER_TERMINAL,
        "a tool call may not go on after the message's stop reason",
    )
    STOP_REASON_WITHOUT_CALL = (
        Code.TERMINAL_WITHOUT_CALL,
        "the stop reason says `{claim}`, and the message has no tool call",
    )
    OTHER_STOP_REASON = (
        Code.WRONG_TERMINAL,
        "the message has a tool call and must stop for `{complete}`; its calls may be cut short",
    )
    NO_BLOCK_STOP = Code.MISSING_TERMINAL, "the stream ended before a `{block_stop}` completed the call"
    NO_WHOLE_MESSAGE = (
        Code.MISSING_TERMINAL,
        "the message around the call lacks its `{message_start}`, its stop reason or its `{message_stop}`",
    )

    # Events of one response made of items
    SEQUENCE_BREAK = (
        Code.SEQUENCE_BREAK,
        "`sequence_number` must be the last one plus 1: an event was lost, doubled or moved",
    )
    SECOND_RESPONSE = Code.TURN_COLLISION, "another response begins inside the turn"
    OTHER_RESPONSE = Code.TURN_COLLISION, "the event belongs to another response than the ones before it"
    CALL_LISTED_EARLY = (
        Code.UNSUPPORTED_EVENT,
        "the response lists a call before it has ended; a call must be an item of its own",
    )
    SECOND_RESPONSE_END = Code.DUPLICATE_TERMINAL, "the response already ended"
    OTHER_RESPONSE_END = (
        Code.WRONG_TERMINAL,
        "the response has a call and must end as completed; its calls may be cut short",
    )
    AFTER_RESPONSE = Code.DELTA_AFTER_TERMINAL, "the response has ended; nothing of a call may follow"
    LISTED_CALL_NOT_STREAMED = Code.COPY_MISMATCH, "the final list has a call that was not streamed"
    CALL_NOT_LISTED = Code.COPY_MISMATCH, "the final list lacks the call"
    OTHER_COPY = Code.COPY_MISMATCH, "a full copy must repeat the text of the call, and differs"
    OTHER_TOOL_LISTED = Code.IDENTITY_COLLISION, "the final list calls another tool"
    NO_OUTPUT_INDEX = (
        Code.MISSING_SLOT,
        "an event of a call must have an integer `output_index`; without one it belongs to no call",
    )
    SAME_ITEM_AGAIN = Code.DUPLICATE_START, "the item was already added, with the same type, call id and name"
    OTHER_ITEM_AGAIN = Code.IDENTITY_COLLISION, "the item was already added, with another type, call id or name"
    UNKNOWN_ITEM = Code.UNSUPPORTED_EVENT, "the item's type is not one that is known"
    ITEM_TAKEOVER = Code.UNSUPPORTED_EVENT, "another context took over after a call had begun"
    BUILT_IN_CALL = (
        Code.UNSUPPORTED_EVENT,
        "the client runs this call, and no schema of the request describes it",
    )
    TEXT_IN_START = (
        Code.UNSUPPORTED_EVENT,
        "a call must be added without its text; the text comes in deltas and copies",
    )
    END_OF_NO_ITEM = Code.ORPHAN_EVENT, "the call was never added"
    SECOND_ITEM_END = Code.DUPLICATE_TERMINAL, "the item already ended"
    OTHER_TYPE_AT_END = Code.IDENTITY_COLLISION, "the item ends as another type than it was added"
    UNFINISHED_CALL = Code.WRONG_TERMINAL, "the call must end as completed; its text may be cut short"
    ASIDE_IN_CALL = Code.ORPHAN_EVENT, "an event of this type does not fit a call"
    TEXT_OF_NO_CALL = Code.ORPHAN_EVENT, "no call of this kind was added at the index"
    TEXT_AFTER_CALL = Code.DELTA_AFTER_TERMINAL, "the call has ended; no text may follow"
    DELTA_AFTER_TEXT = Code.DELTA_AFTER_TERMINAL, "the text of the call is whole; no delta may follow"
    SECOND_TEXT_END = Code.DUPLICATE_TERMINAL, "the text of the call was already whole"
    SAME_ITEM_ID = Code.DUPLICATE_ID, "another call has the same item id: a client may mix them"
    OTHER_ITEM_ID = (
        Code.IDENTITY_COLLISION,
        "the item id is not the first one of the call: a client that goes by it builds another call",
    )
    NO_ITEM_END = (
        Code.MISSING_TERMINAL,
        "the stream ended before a `response.output_item.done` completed the call",
    )
    NO_WHOLE_RESPONSE = (
        Code.MISSING_TERMINAL,
        "the response around the call lacks its `response.created` or its end",
    )

    # Chunks whose calls come as objects
    NO_SUBJECT = Code.UNSUPPORTED_EVENT, "the chunk has none of the members that a chunk must have"
    OTHER_KIND_OF_CALL = Code.UNSUPPORTED_EVENT, "the part has a call of another kind"
    ANOTHER_RESPONSE = Code.TURN_COLLISION, "the chunk belongs to another response than the ones before it"
    ARGUMENTS_TWICE = (
        Code.UNSUPPORTED_EVENT,
        "the call already has its arguments, or pieces of them; they must come once, and in one form",
    )
    NOTHING_TO_GO_ON_WITH = Code.ORPHAN_EVENT, "no call is open that this part could go on with"
    CALL_AFTER_REASON = Code.DELTA_AFTER_TERMINAL, "the choice has ended; a call after its reason is not taken"
    SECOND_REASON = Code.DUPLICATE_TERMINAL, "the choice already had its reason"
    REASON_WITHOUT_CALL = (
        Code.TERMINAL_WITHOUT_CALL,
        "the reason speaks of a tool call, and the choice has none",
    )
    OTHER_REASON = (
        Code.WRONG_TERMINAL,
        "the choice has a tool call and did not end as complete; its calls may be cut short",
    )
    NO_REASON = Code.MISSING_TERMINAL, "the stream ended before a reason completed the call"

    # The arguments of one complete call
    PIECES_DO_NOT_FIT = Code.MALFORMED_ARGUMENTS, "the pieces of the arguments do not fit together"
    UNKNOWN_TOOL = Code.UNKNOWN_TOOL, "the tool is not declared; call one that is in `tool_schemas`"
    UNSUPPORTED_SCHEMA = Code.UNSUPPORTED_SCHEMA, "the tool's schema cannot be checked whole: {why}"
    EMPTY_ARGUMENTS = Code.EMPTY_ARGUMENTS, "the arguments are empty; send {{}} for none"
    EMPTY_TEXT = Code.EMPTY_ARGUMENTS, "the text is empty; a call of this tool must have one"
    TOO_DEEP = (
        Code.LIMIT_EXCEEDED,
        "arguments may nest {limit} levels (max_nesting); one more at character {offset}",
    )
    MALFORMED_ARGUMENTS = (
        Code.MALFORMED_ARGUMENTS,
        "the arguments must be one JSON object; the text stops being JSON at character {offset}",
    )
    TRAILING_DATA = (
        Code.TRAILING_DATA,
        "the arguments must be one JSON object and nothing else; more text begins at character {offset}",
    )
    NON_FINITE_NUMBER = (
        Code.NON_FINITE_NUMBER,
        "numbers must be finite, for example 1.5; one that is not stands at character {offset}",
    )
    DUPLICATE_KEY = (
        Code.DUPLICATE_KEY,
        "an object must not repeat a property name; one comes again at character {offset}",
    )
    INVALID_UNICODE = (
        Code.INVALID_UNICODE,
        "the text must have no byte order mark and no half of a surrogate pair; one stands at character {offset}",
    )
    NON_OBJECT = Code.NON_OBJECT_ARGUMENTS, "the arguments must be a JSON object, for example {{}}"
