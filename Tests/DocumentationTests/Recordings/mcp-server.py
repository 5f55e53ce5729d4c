"""The server of MCPClient.md: the official Python library, with an event store.

python3 -m venv .build/mcp && .build/mcp/bin/pip install mcp==2.3.0
.build/mcp/bin/python mcp-server.py [--json]
"""

import sys

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore

server = MCPServer("numbers")


@server.tool()
def add(a: int, b: int) -> str:
    return str(a + b)


@server.tool()
async def count(to: int, context: Context) -> str:
    for number in range(1, to + 1):
        await context.report_progress(number, to, f"{number} of {to}")
    return "done"


@server.tool()
async def leave(context: Context) -> str:
    """Closes the connection of the call before it has an answer."""
    await context.close_sse_stream()
    return "back"


class Events(EventStore):
    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        stream_id = self.events[int(last_event_id) - 1][0]
        for index in range(int(last_event_id), len(self.events)):
            if self.events[index][0] == stream_id and self.events[index][1] is not None:
                await send_callback(EventMessage(self.events[index][1], str(index + 1)))
        return stream_id


server.run(
    "streamable-http", port=8808, event_store=Events(), retry_interval=100,
    json_response="--json" in sys.argv)
