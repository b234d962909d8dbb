// The loops of other libraries, with the same replies and tools as in hops.py.
// Rule: each run is one call of a library's own loop, and all of its stream is read.

import { chat, maxIterations, toolDefinition } from '@tanstack/ai';
import { isStepCount, streamText, tool } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const HOPS_OF_A_SAMPLE = 200;
const WAIT = 100; // milliseconds of a slow tool
const NUMBER = z.object({ n: z.number() });
const QUESTION = [{ role: 'user', content: 'go' }];

const work = {
  look: async ({ n }) => ({ n }),
  wait: ({ n }) => new Promise((done) => setTimeout(done, WAIT, { n })),
};

/** Returns the names of the tools that each reply calls; none is the answer. */
function* replies(hops, calls) {
  for (let hop = 1; hop < hops; hop += 1) yield calls;
  yield [];
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function vercelParts(calls) {
  const reason = calls.length ? 'tool-calls' : 'stop';
  const said = calls.length
    ? calls.map((toolName, n) => {
        const toolCallId = crypto.randomUUID();
        return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify({ n }) };
      })
    : [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Done.' },
        { type: 'text-end', id: '1' },
      ];
  const finishReason = { unified: reason, raw: reason };
  return [{ type: 'stream-start', warnings: [] }, ...said, { type: 'finish', finishReason, usage }];
}

async function vercel(hops, calls) {
  const script = replies(hops, calls);
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream(vercelParts(script.next().value)),
    }),
  });
  const named = ([name, execute]) => [name, tool({ description: 'Look.', inputSchema: NUMBER, execute })];
  const tools = Object.fromEntries(Object.entries(work).map(named));
  let results = 0;
  const run = streamText({ model, tools, messages: QUESTION, stopWhen: isStepCount(hops + 1) });
  for await (const part of run.fullStream) results += part.type === 'tool-result';
  return results;
}

function* tanstackChunks(calls) {
  const ids = { runId: 'r', threadId: 't', model: 'scripted', timestamp: 0 };
  yield { type: 'RUN_STARTED', ...ids };
  for (const [n, toolCallName] of calls.entries()) {
    const toolCallId = crypto.randomUUID();
    yield { type: 'TOOL_CALL_START', toolCallId, toolCallName, toolName: toolCallName, ...ids };
    yield { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify({ n }), ...ids };
    yield { type: 'TOOL_CALL_END', toolCallId, ...ids };
  }
  if (!calls.length) {
    yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant', ...ids };
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Done.', ...ids };
    yield { type: 'TEXT_MESSAGE_END', messageId: 'm', ...ids };
  }
  yield { type: 'RUN_FINISHED', finishReason: calls.length ? 'tool_calls' : 'stop', ...ids };
}

async function tanstack(hops, calls) {
  const script = replies(hops, calls);
  const adapter = {
    kind: 'text',
    name: 'scripted',
    model: 'scripted',
    async *chatStream() {
      yield* tanstackChunks(script.next().value);
    },
  };
  const tools = Object.entries(work).map(([name, execute]) =>
    toolDefinition({ name, description: 'Look.', inputSchema: NUMBER }).server(execute),
  );
  const agentLoopStrategy = maxIterations(hops + 1);
  let results = 0;
  const run = chat({ adapter, tools, messages: QUESTION, agentLoopStrategy });
  for await (const chunk of run) results += chunk.type === 'TOOL_CALL_RESULT';
  return results;
}

async function checked(run, hops, calls) {
  const results = await run(hops, calls);
  const wanted = (hops - 1) * calls.length;
  if (results !== wanted) throw new Error(`${results} results instead of ${wanted}`);
}

/** Returns samples of milliseconds for one hop of a run with so many hops. */
async function perHop(run, hops, samples) {
  const found = [];
  const runs = HOPS_OF_A_SAMPLE / hops;
  for (let sample = 0; sample < samples; sample += 1) {
    const began = performance.now();
    for (let number = 0; number < runs; number += 1) await checked(run, hops, ['look']);
    found.push((performance.now() - began) / (runs * hops));
  }
  return found;
}

/** Returns samples of milliseconds of a run whose first reply calls three slow tools. */
async function slowTools(run, samples) {
  const found = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const began = performance.now();
    await checked(run, 2, ['wait', 'wait', 'wait']);
    found.push(performance.now() - began);
  }
  return found;
}

export { perHop, slowTools, tanstack, vercel };
