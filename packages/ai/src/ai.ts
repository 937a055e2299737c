import { createBreaker, type Log } from '@tandem/process';
import { z } from 'zod';
import { notJson, parseJson } from './parse-json.ts';
import { createProvider, type Message, type Question } from './provider.ts';
import { createSchemas } from './schemas.ts';
import type { AiSettings } from './settings.ts';

/** The origin of a result. */
export type Source = 'model' | 'template';

interface Asked {
  /** Name of the task in the log and for the provider: letters, digits, `_` and `-`. */
  name: string;
  /** Our instructions to the model. */
  instructions: string;
  /** The caller's prompt. */
  prompt: string;
  /** The tenant's API key for the provider, used instead of the configured one. */
  apiKey?: string | undefined;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}

/** A generation whose output must match a zod schema. */
export interface Task<T> extends Asked {
  schema: z.ZodType<T>;
  /** Checks rules that a schema cannot express; returns a sentence for each broken one. */
  check?: ((output: T) => string[] | Promise<string[]>) | undefined;
  /** The result without a provider. */
  template: () => T;
}

/** A generation whose output must match a customer's JSON Schema; without one the output is text. */
export interface SchemaTask extends Asked {
  schema?: object | undefined;
  /** The tenant of the schema, whose share of the worker threads it uses. */
  tenantId: number | undefined;
  /** The text without a provider. With a schema, the result without a provider is the smallest value that fits. */
  template: () => string;
}

export interface Ai {
  /** Never throws because of the provider: on any provider failure the result is the template. */
  generate<T>(task: Task<T>): Promise<{ output: T; source: Source }>;
  /**
   * @throws SchemaError for a schema that cannot be used
   * @throws ShareTimeoutError when too many schemas are waiting, or the machine is too busy
   */
  generateBySchema(task: SchemaTask): Promise<{ output: unknown; source: Source }>;
  /**
   * Checks a schema before it is used.
   * @throws as generateBySchema
   */
  checkSchema(schema: object, tenantId: number | undefined): Promise<void>;
  /** Stops the worker threads. */
  close(): Promise<void>;
}

/** A parsed completion: the output, or its faults. */
type Result<T> = { output: T; faults?: never } | { output?: never; faults: string[] };
type Read<T> = (text: string) => Result<T> | Promise<Result<T>>;

const defaults = {
  /** Time limit for all provider calls of one generation. */
  timeoutMs: 30_000,
  /** How long a provider that is down is not called. */
  pauseMs: 60_000,
  /** The clock of that pause, in milliseconds. */
  now: () => performance.now(),
};
// The rest of the time is reserved for the repair.
const firstShare = 2 / 3;
const failuresInARow = 3;
const faultsShownMax = 20;
const responseShownMax = 20_000;

/** Creates the client of the configured provider. Logs task, source and reason; never a prompt or the key. */
export function createAi(settings: AiSettings, log: Log, limits: Partial<typeof defaults> = {}): Ai {
  const { timeoutMs, pauseMs, now } = { ...defaults, ...limits };
  const provider = createProvider(settings);
  const breaker = createBreaker({ trip: { failuresInARow }, openMs: pauseMs, now });
  const schemas = createSchemas();

  /** @returns undefined when the template has to be used */
  async function ask<T>(task: Asked, schema: object | undefined, read: Read<T>): Promise<{ output: T } | undefined> {
    const end = performance.now() + timeoutMs;
    const useTemplate = (why: string) => void log.info('generated', { task: task.name, source: 'template', why });
    const apiKey = task.apiKey ?? settings.AI_PROVIDER_API_KEY;
    if (!apiKey) return useTemplate('no provider key configured');

    let messages = firstMessages(task, schema);
    for (const attempt of ['first', 'repair'] as const) {
      if (!breaker.admits()) return useTemplate('circuit breaker is open after provider failures');
      const left = end - performance.now();
      const completion = await provider.ask({
        ...question(task, schema),
        messages,
        apiKey,
        timeoutMs: Math.max(1, Math.floor(attempt === 'first' ? left * firstShare : left)),
      });
      if (completion.text === undefined) {
        // A caller's own key may be invalid or used up, which says nothing about the provider.
        if (completion.isDown && !(task.apiKey && completion.refusesKey)) breaker.failed();
        else breaker.succeeded();
        return useTemplate(completion.why);
      }
      breaker.succeeded();
      const result = await read(completion.text);
      if (!result.faults) {
        log.info('generated', { task: task.name, source: 'model', attempt });
        return result;
      }
      messages = [...messages, ...repairMessages(completion.text, result.faults)];
    }
    return useTemplate('two responses failed validation');
  }

  return {
    async generate<T>({ schema, check, template, ...task }: Task<T>): Promise<{ output: T; source: Source }> {
      const completion = await ask<T>(
        task,
        z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }),
        async (text) => {
          const value = parseJson(text);
          if (value === undefined) return { faults: [notJson] };
          const parsed = schema.safeParse(value);
          if (!parsed.success)
            return { faults: parsed.error.issues.map(({ path, message }) => withPath(path, message)) };
          const faults = (await check?.(parsed.data)) ?? [];
          return faults.length ? { faults } : { output: parsed.data };
        },
      );
      return completion ? { output: completion.output, source: 'model' } : { output: template(), source: 'template' };
    },

    async generateBySchema({ schema, tenantId, template, ...task }) {
      const known = schema && (await schemas.read(schema, tenantId));
      const completion = await ask<unknown>(task, schema, known?.check ?? ((text) => ({ output: text })));
      if (completion) return { output: completion.output, source: 'model' };
      return { output: known ? known.smallest : template(), source: 'template' };
    },

    async checkSchema(schema, tenantId) {
      await schemas.read(schema, tenantId);
    },

    close: schemas.close,
  };
}

function question(
  { name, temperature, maxTokens }: Asked,
  schema: object | undefined,
): Omit<Question, 'messages' | 'apiKey' | 'timeoutMs'> {
  return { name, schema, temperature, maxTokens };
}

function firstMessages({ instructions, prompt }: Asked, schema: object | undefined): Message[] {
  const shape = schema
    ? `\n\nRespond with one JSON value that is valid against this JSON Schema:\n${JSON.stringify(schema)}`
    : '';
  return [
    { role: 'system', content: `${instructions}${shape}` },
    { role: 'user', content: prompt },
  ];
}

function repairMessages(completion: string, faults: string[]): Message[] {
  const list = faults.slice(0, faultsShownMax).map((fault) => `- ${fault.slice(0, 300)}`);
  return [
    { role: 'assistant', content: completion.slice(0, responseShownMax) },
    {
      role: 'user',
      content: `The response is invalid:\n${list.join('\n')}\nRespond again with the complete, corrected JSON.`,
    },
  ];
}

function withPath(path: PropertyKey[], message: string): string {
  return path.length ? `${path.map(String).join('.')}: ${message}` : message;
}
