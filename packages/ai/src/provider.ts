import { outgoingGuard } from '@tandem/process';
import { Agent, request } from 'undici';
import type { AiSettings } from './settings.ts';

/** One message of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface Question {
  /** Name of the response format for the provider. */
  name: string;
  messages: Message[];
  /** JSON Schema of the response; without it the response is text. */
  schema: object | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  apiKey: string;
  timeoutMs: number;
}

/**
 * The result of a call: a text, or the reason for failure, whether it means that the provider is down, and whether it
 * concerns the key only.
 */
export type ProviderResponse = { text: string } | { text?: never; why: string; isDown: boolean; refusesKey?: boolean };

export interface Provider {
  ask(question: Question): Promise<ProviderResponse>;
}

const responseBytesMax = 1024 * 1024;
const connectTimeoutMs = 5_000;
const tokensMax = 8_192;
// These concern a single request; the next one may succeed.
const requestFaults = [400, 413, 422];
// Invalid key, no credit, no permission, rate limit exceeded.
const keyFaults = [401, 402, 403, 429];

/** Creates a client of the chat-completion protocol. */
export function createProvider(settings: AiSettings): Provider {
  const url = `${settings.AI_PROVIDER_BASE_URL.replace(/\/+$/, '')}/chat/completions`;
  const agent = new Agent({ connect: { timeout: connectTimeoutMs }, allowH2: false, connections: 64 });
  return {
    async ask(question) {
      outgoingGuard.assertMayCall('The AI provider');
      const signal = AbortSignal.timeout(question.timeoutMs);
      try {
        const { statusCode, body } = await request(url, {
          dispatcher: agent,
          method: 'POST',
          signal,
          headersTimeout: question.timeoutMs,
          bodyTimeout: question.timeoutMs,
          headers: {
            authorization: `Bearer ${question.apiKey}`,
            'content-type': 'application/json',
            accept: 'application/json',
          },
          body: JSON.stringify(asked(question, settings.AI_PROVIDER_MODEL)),
        });
        const text = await readText(body);
        // Redirects are not followed, because the key belongs to the configured address only.
        if (statusCode !== 200)
          return {
            why: `provider returned ${statusCode}`,
            isDown: !requestFaults.includes(statusCode),
            refusesKey: keyFaults.includes(statusCode),
          };
        if (text === undefined) return { why: 'response too large', isDown: false };
        return readCompletion(text);
      } catch (error) {
        return { why: signal.aborted ? 'timed out' : `unreachable: ${codeOf(error)}`, isDown: true };
      }
    },
  };
}

function asked({ name, messages, schema, temperature, maxTokens }: Question, model: string): object {
  return {
    model,
    messages,
    max_tokens: maxTokens ?? tokensMax,
    ...(temperature !== undefined && { temperature }),
    // Providers accept objects only. Not strict: that forbids free-form objects, and the response is validated here
    // anyway.
    ...(isObjectSchema(schema) && {
      response_format: { type: 'json_schema', json_schema: { name, schema, strict: false } },
    }),
  };
}

function isObjectSchema(schema: object | undefined): boolean {
  return schema !== undefined && 'type' in schema && schema.type === 'object';
}

/** Reads the whole body; undefined when it is too large. Leaving the loop early destroys the connection. */
async function readText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > responseBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Completion {
  choices?: { finish_reason?: unknown; message?: { content?: unknown; refusal?: unknown } }[];
}

function readCompletion(body: string): ProviderResponse {
  const failed = (why: string) => ({ why, isDown: false });
  let completion: Completion | null;
  try {
    completion = JSON.parse(body);
  } catch {
    return { why: 'response is not JSON', isDown: true };
  }
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  if (choice?.finish_reason === 'length') return failed('truncated');
  if (choice?.finish_reason === 'content_filter') return failed('stopped by content filter');
  if (choice?.message?.refusal) return failed('refused');
  const content = choice?.message?.content;
  return typeof content === 'string' && content.trim() ? { text: content } : failed('response is empty');
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name);
}
