import { createPost, type Failure } from './post.ts';
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

/** The result of a call: a text, or the reason for failure. */
export type ProviderResponse = { text: string } | ({ text?: never } & Failure);

export interface Provider {
  ask(question: Question): Promise<ProviderResponse>;
}

const responseBytesMax = 1024 * 1024;
const tokensMax = 8_192;

/** Creates a client of the chat-completion protocol. */
export function createProvider(settings: AiSettings): Provider {
  const post = createPost(settings.AI_PROVIDER_BASE_URL, 'chat/completions');
  return {
    async ask(question) {
      const { apiKey, timeoutMs } = question;
      const body = asked(question, settings.AI_PROVIDER_MODEL);
      const posted = await post({ body, apiKey, timeoutMs, bytesMax: responseBytesMax });
      return posted.text === undefined ? posted : readCompletion(posted.text);
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
