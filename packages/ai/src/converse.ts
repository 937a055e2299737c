import type { Breaker, Log } from '@tandem/process';
import { z } from 'zod';
import type { Asked, Source } from './asked.ts';
import { firstMessages, readOutput, repairMessages } from './messages.ts';
import { parseJson } from './parse-json.ts';
import { costOf } from './prices.ts';
import { answerTokensMax, type Message, type Provider, type TokenUsage, type ToolCall } from './provider.ts';
import type { AiSettings } from './settings.ts';

/** A tool that the model can call. What it returns is data for the model: it never adds tools or rights. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  /** Letters, digits, `_` and `-`. */
  name: string;
  description: string;
  input: Input;
  /** Returns a JSON value. An error ends the call, not the conversation: the model sees that the tool failed. */
  run(input: z.output<Input>): Promise<unknown>;
}

/** A number of tokens that several conversations share. */
export interface TokenLimit {
  /**
   * Takes tokens for one request before it is sent.
   * @returns undefined if so many are not left
   */
  take(tokens: number): Promise<TakenTokens | undefined>;
}

export interface TakenTokens {
  /** Counts what the request has used instead of what was taken. */
  settle(used: number): Promise<void>;
}

/** A task that the model solves with tools. */
export interface Conversation<T> extends Asked {
  /** The model, instead of the configured one. */
  model?: string | undefined;
  tools: readonly Tool[];
  schema: z.ZodType<T>;
  /** Checks rules that a schema cannot express; returns a sentence for each broken one. */
  check?: ((output: T) => string[] | Promise<string[]>) | undefined;
  /** The result without a provider. */
  template: () => T;
  /** The maximum number of requests to the provider, and of their tokens together. */
  budget: { steps: number; tokens: number };
  /** Further requests are not sent when its tokens are used up. */
  limit?: TokenLimit | undefined;
}

/** One call of a tool. */
export interface TracedCall {
  tool: string;
  input: unknown;
  /** Why the call failed; undefined when it succeeded. */
  error?: string;
  startedAt: Date;
  finishedAt: Date;
}

/** The result of a conversation. */
export interface Conversed<T> {
  output: T;
  source: Source;
  /** The tokens of all requests, with their cost in US dollars; the cost is null for a model without known prices. */
  usage: TokenUsage & { cost: number | null };
  /** The calls of tools in their order. */
  calls: TracedCall[];
  /** Why the result is the template; undefined for a result of the model. */
  why?: string;
}

interface Means {
  provider: Provider;
  breaker: Breaker;
  log: Log;
  settings: AiSettings;
  timeoutMs: number;
}

// A longer result of a tool is cut, so that one tool cannot use the whole budget.
const resultShownMax = 8_000;
const callsPerStepMax = 8;

/** Runs a conversation: see `Ai.converse`. */
export async function converse<T>(means: Means, conversation: Conversation<T>): Promise<Conversed<T>> {
  const { breaker, log, provider, settings } = means;
  const { name, schema, tools, budget, limit, template, model = settings.AI_PROVIDER_MODEL } = conversation;
  const end = performance.now() + means.timeoutMs;
  const calls: TracedCall[] = [];
  const used: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  const done = (output: T, source: Source, why?: string): Conversed<T> => {
    log.info('conversed', { task: name, source, calls: calls.length, ...used, ...(why && { why }) });
    return { output, source, usage: { ...used, cost: costOf(settings, model, used) }, calls, ...(why && { why }) };
  };
  const useTemplate = (why: string) => done(template(), 'template', why);

  const apiKey = conversation.apiKey ?? settings.AI_PROVIDER_API_KEY;
  if (!apiKey) return useTemplate('no provider key configured');
  const shape = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  const messages: Message[] = firstMessages(conversation, shape);
  for (let step = 1; step <= budget.steps; step++) {
    // The last request has no tools, so that the model answers.
    const offered = step === budget.steps ? undefined : definitionsOf(tools);
    const timeoutMs = Math.floor(end - performance.now());
    if (timeoutMs < 1) return useTemplate('timed out');
    const { temperature, maxTokens } = conversation;
    const taken = await limit?.take(tokensMaxOf({ messages, shape, offered }, maxTokens));
    if (limit && !taken) return useTemplate('no tokens are left');
    if (!breaker.admits()) {
      await taken?.settle(0);
      return useTemplate('circuit breaker is open after provider failures');
    }
    const asked = { name, messages, schema: shape, model, tools: offered, apiKey, timeoutMs };
    const reply = await provider.ask({ ...asked, temperature, maxTokens });
    const { promptTokens, completionTokens } = reply.usage ?? { promptTokens: 0, completionTokens: 0 };
    used.promptTokens += promptTokens;
    used.completionTokens += completionTokens;
    // A response that does not name its tokens counts as what was taken.
    const isUnknown = reply.usage && promptTokens + completionTokens === 0;
    if (!isUnknown) await taken?.settle(promptTokens + completionTokens);
    if (reply.text === undefined && !reply.toolCalls) {
      if (reply.isDown && !(conversation.apiKey && reply.refusesKey)) breaker.failed();
      else breaker.succeeded();
      return useTemplate(reply.why);
    }
    breaker.succeeded();
    if (reply.text !== undefined) {
      const result = await readOutput(conversation, reply.text);
      if (!result.faults) return done(result.output, 'model');
      messages.push(...repairMessages(reply.text, result.faults));
    } else {
      messages.push(...(await callTools(tools, reply.toolCalls.slice(0, callsPerStepMax), calls)));
    }
    if (used.promptTokens + used.completionTokens > budget.tokens) return useTemplate('token budget is used up');
  }
  return useTemplate('no valid response within the steps of the budget');
}

/** The tokens that a request can use at most: one for each byte that is sent, and those of the answer. */
function tokensMaxOf(sent: object, maxTokens = answerTokensMax): number {
  return Buffer.byteLength(JSON.stringify(sent)) + maxTokens;
}

function definitionsOf(tools: readonly Tool[]) {
  return tools.map(({ name, description, input }) => ({ name, description, parameters: z.toJSONSchema(input) }));
}

/** Runs the calls of one response, and returns them with their results as messages. */
async function callTools(tools: readonly Tool[], asked: ToolCall[], calls: TracedCall[]): Promise<Message[]> {
  const results = await Promise.all(asked.map((call) => callTool(tools, call)));
  calls.push(...results.map(({ traced }) => traced));
  const tool_calls = asked.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }));
  return [
    { role: 'assistant', content: null, tool_calls },
    ...asked.map(({ id }, index) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: results[index]?.content as string,
    })),
  ];
}

async function callTool(
  tools: readonly Tool[],
  { name, arguments: text }: ToolCall,
): Promise<{ content: string; traced: TracedCall }> {
  const startedAt = new Date();
  const tool = tools.find((one) => one.name === name);
  const given = parseJson(text);
  const parsed = tool?.input.safeParse(given);
  const ended = (content: string, error?: string) => {
    const traced = { tool: name.slice(0, 100), input: parsed?.data ?? null, startedAt, finishedAt: new Date() };
    return { content, traced: { ...traced, ...(error && { error }) } };
  };
  const failed = (error: string) => ended(JSON.stringify({ error }), error);
  if (!tool) return failed('There is no such tool');
  if (!parsed?.success) return failed('The arguments do not match the schema of the tool');
  try {
    return ended((JSON.stringify(await tool.run(parsed.data)) ?? 'null').slice(0, resultShownMax));
  } catch {
    return failed('The tool failed');
  }
}
