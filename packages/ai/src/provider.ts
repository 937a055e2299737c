import { createPost, type Failure } from './post.ts';
import type { AiSettings } from './settings.ts';

/** A call of a tool that the model asks for; the arguments are the JSON text of the model. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** One message of a conversation. */
export type Message =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { role: 'assistant'; content: null; tool_calls: { id: string; type: 'function'; function: Omit<ToolCall, 'id'> }[] }
  | { role: 'tool'; tool_call_id: string; content: string };

/** A tool as the model sees it. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
}

/** The tokens of a call, as the provider counts them. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface Question {
  /** Name of the response format for the provider. */
  name: string;
  messages: Message[];
  /** JSON Schema of the response; without it the response is text. */
  schema: object | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
  /** The model, instead of the configured one. */
  model?: string | undefined;
  tools?: readonly ToolDefinition[] | undefined;
  apiKey: string;
  timeoutMs: number;
}

/** The result of a call: a text, the tools that the model calls, or the reason for failure. */
export type ProviderResponse =
  | { text: string; usage: TokenUsage; toolCalls?: never }
  | { toolCalls: ToolCall[]; usage: TokenUsage; text?: never }
  /** With the tokens of a response that cannot be used. */
  | ({ text?: never; toolCalls?: never; usage?: TokenUsage } & Failure);

export interface Provider {
  ask(question: Question): Promise<ProviderResponse>;
}

const responseBytesMax = 1024 * 1024;
/** The maximum of tokens of an answer, unless a task has a lower one. */
export const answerTokensMax = 8_192;
// More than any model has in one request.
const countMax = 10_000_000;

/** Creates a client of the chat-completion protocol. */
export function createProvider(settings: AiSettings): Provider {
  const post = createPost(settings.AI_PROVIDER_BASE_URL, 'chat/completions');
  return {
    async ask(question) {
      const { apiKey, timeoutMs } = question;
      const body = asked(question, question.model ?? settings.AI_PROVIDER_MODEL);
      const posted = await post({ body, apiKey, timeoutMs, bytesMax: responseBytesMax });
      return posted.text === undefined ? posted : readCompletion(posted.text);
    },
  };
}

function asked({ name, messages, schema, temperature, maxTokens, tools }: Question, model: string): object {
  return {
    model,
    messages,
    max_tokens: maxTokens ?? answerTokensMax,
    ...(temperature !== undefined && { temperature }),
    ...(tools?.length && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
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
  choices?: {
    finish_reason?: unknown;
    message?: { content?: unknown; refusal?: unknown; tool_calls?: unknown };
  }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
}

function readCompletion(body: string): ProviderResponse {
  let completion: Completion | null;
  try {
    completion = JSON.parse(body);
  } catch {
    return { why: 'response is not JSON', isDown: true };
  }
  const usage = usageOf(completion);
  const failed = (why: string) => ({ why, isDown: false, usage });
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  if (choice?.finish_reason === 'length') return failed('truncated');
  if (choice?.finish_reason === 'content_filter') return failed('stopped by content filter');
  if (choice?.message?.refusal) return failed('refused');
  const toolCalls = toolCallsOf(choice?.message?.tool_calls);
  if (toolCalls.length) return { toolCalls, usage };
  const content = choice?.message?.content;
  return typeof content === 'string' && content.trim() ? { text: content, usage } : failed('response is empty');
}

function usageOf(completion: Completion | null): TokenUsage {
  const count = (value: unknown) =>
    typeof value === 'number' && value > 0 ? Math.trunc(Math.min(value, countMax)) : 0;
  const { prompt_tokens, completion_tokens } = completion?.usage ?? {};
  return { promptTokens: count(prompt_tokens), completionTokens: count(completion_tokens) };
}

/** The well-formed calls of a response. */
function toolCallsOf(calls: unknown): ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap(({ id, function: called }: { id?: unknown; function?: Partial<ToolCall> }) =>
    typeof id === 'string' && typeof called?.name === 'string' && typeof called.arguments === 'string'
      ? [{ id, name: called.name, arguments: called.arguments }]
      : [],
  );
}
