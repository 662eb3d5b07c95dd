"""Uses every tool, resource and prompt of the MCP server with the official Python client. See scripts/mcp-client."""

import asyncio
import json
import os
import sys
import time
import urllib.request

import httpx2
import mcp
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

BINARY, URL = sys.argv[1:]
KEY = os.environ["FRONTDESK_MCP_KEY"]
ANN = "14155550123"


def api(method, path, body=None):
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]


def until(what, look):
    for _ in range(100):
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"never came: {what}")


def said(conversation):
    rows = api("GET", f"/api/v1/conversations/{conversation}/messages?direction=outbound")
    return [row["text"] for row in rows]


def over_http():
    client = httpx2.AsyncClient(headers={"authorization": f"Bearer {KEY}"}, timeout=30)
    return streamable_http_client(URL + "/mcp", http_client=client)


def over_pipes():
    environment = {"FRONTDESK_MCP_KEY": KEY, "PATH": os.environ["PATH"]}
    return StdioServerParameters(command=BINARY, args=["mcp", "--url", URL], env=environment)


async def uses(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    return text if result.is_error else json.loads(text)


async def every_tool(client, conversation, contact, words):
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert len(names) == 9, names
    assert (await uses(client, "search", query="order"))["found"]["messages"]["rows"]
    assert (await uses(client, "open", kind="person", id=contact))["person"]["id"] == contact
    assert "conversations" in (await uses(client, "whats_waiting"))["waiting"]
    drafted = await uses(client, "draft_reply", conversation_id=conversation, text="It is.")
    assert drafted["status"] == "done", drafted
    changed = await uses(client, "update", what="contact", id=contact, fields={"company": "Acme"})
    assert changed["status"] == "done", changed
    assert (await uses(client, "run_assistant"))["assistants"] == []
    later = await uses(
        client, "schedule", what="snooze", at="2099-01-31T09:30:00Z", conversation_id=conversation
    )
    assert later["status"] == "done", later
    refused = await uses(client, "answer_ask", ask_id=contact, decision="approve")
    assert isinstance(refused, str), refused
    assert len((await client.list_prompts()).prompts) == 3
    assert (await client.get_prompt("triage_my_morning")).messages
    resources = (await client.list_resources()).resources
    assert resources and (await client.read_resource(str(resources[0].uri))).contents
    assert len((await client.list_resource_templates()).resource_templates) == 3
    # A person approves it elsewhere.
    before = len(said(conversation))
    held = await uses(client, "send", conversation_id=conversation, text=words)
    assert held["status"] == "waiting_for_approval", held
    assert len(said(conversation)) == before
    api("POST", f"/api/v1/asks/{held['ask_id']}/answer", {"decision": "approve"})
    assert words in said(conversation)


async def asks_its_user(transport, conversation, words):
    asked = []

    async def user(context, params):
        asked.append(params.message)
        return mcp.types.ElicitResult(action="accept", content={"approve": True})

    async with Client(transport, elicitation_callback=user) as client:
        sent = await uses(client, "send", conversation_id=conversation, text=words)
        assert sent["status"] == "done", sent
        assert len(asked) == 1 and words in asked[0], asked
    assert words in said(conversation)


async def main():
    address = f"{URL}/sandbox/customers/{ANN}/messages"
    body = json.dumps({"text": "Hello, is my order there?"}).encode()
    urllib.request.urlopen(urllib.request.Request(address, body, {"content-type": "application/json"}))
    found = until("the conversation", lambda: api("GET", "/api/v1/conversations"))[0]
    conversation, contact = found["id"], found["contact_id"]
    for name, transport in [("http", over_http), ("pipes", over_pipes)]:
        for mode in ["auto", "legacy"]:
            async with Client(transport(), mode=mode) as client:
                version = client.protocol_version
                await every_tool(client, conversation, contact, f"Hello over {name}, {version}.")
                print(f"mcp-client: every tool over {name}, version {version}")
        await asks_its_user(transport(), conversation, f"Confirmed over {name}.")
        print(f"mcp-client: an approval by the program's user over {name}")


asyncio.run(main())
