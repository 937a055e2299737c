import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A response of the model: an answer, calls of tools with their arguments, or an error of the provider. `promptTokens` is the count of an
 * answer; null leaves out the usage. `finish` is its finish_reason.
 */
export type ScriptedReply =
  | { says: unknown; promptTokens?: number | null; finish?: string }
  | { calls: [tool: string, input: unknown][] }
  | { status: number };

/** A request that the provider got. */
export interface ProviderRequest {
  model: string;
  messages: { role: string; content: string | null; tool_call_id?: string }[];
  tools?: { function: { name: string; parameters: object } }[];
  response_format?: object;
}

/** A server with the chat-completion protocol that replies by a script. */
export interface AiProvider {
  /** The base address, for `AI_PROVIDER_BASE_URL`. */
  url: string;
  requests: ProviderRequest[];
  /** Replies in this order, and then repeats the last reply; or by a function of the request. */
  script(...replies: ScriptedReply[] | [(request: ProviderRequest) => ScriptedReply]): void;
  close(): Promise<void>;
}

/** Starts a provider. Each response counts 100 tokens of the prompt and 10 of the completion. */
export async function startAiProvider(): Promise<AiProvider> {
  const requests: ProviderRequest[] = [];
  let replies: ScriptedReply[] = [{ status: 500 }];
  let decide: ((request: ProviderRequest) => ScriptedReply) | undefined;
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as ProviderRequest;
    requests.push(asked);
    const reply = decide?.(asked) ?? (replies.length > 1 ? replies.shift() : replies[0]);
    const status = reply && 'status' in reply ? reply.status : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply && !('status' in reply) ? completionOf(reply, requests.length) : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script(...next) {
      const [first] = next;
      decide = typeof first === 'function' ? first : undefined;
      replies = next.filter((one) => typeof one !== 'function');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function completionOf(reply: Exclude<ScriptedReply, { status: number }>, number: number) {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  if ('says' in reply) {
    const { says, promptTokens = usage.prompt_tokens, finish = 'stop' } = reply;
    const content = typeof says === 'string' ? says : JSON.stringify(says);
    return {
      choices: [{ finish_reason: finish, message: { content } }],
      ...(promptTokens !== null && { usage: { ...usage, prompt_tokens: promptTokens } }),
    };
  }
  const tool_calls = reply.calls.map(([name, input], index) => ({
    id: `call_${number}_${index}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  return { choices: [{ finish_reason: 'tool_calls', message: { content: null, tool_calls } }], usage };
}
