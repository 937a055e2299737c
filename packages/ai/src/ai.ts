import { createBreaker, type Log } from '@tandem/process';
import { z } from 'zod';
import type { Asked, Source } from './asked.ts';
import { type Conversation, type Conversed, converse } from './converse.ts';
import { firstMessages, type Result, readOutput, repairMessages } from './messages.ts';
import { createProvider, type Question } from './provider.ts';
import { createSchemas } from './schemas.ts';
import type { AiSettings } from './settings.ts';

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
  /**
   * Lets the model call tools before it answers. Never throws because of the provider or of a tool: on any failure of the
   * provider, or beyond a limit, the result is the template.
   */
  converse<T>(conversation: Conversation<T>): Promise<Conversed<T>>;
  /** Stops the worker threads. */
  close(): Promise<void>;
}

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
      if (completion.toolCalls) return useTemplate('response has no text');
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
      const completion = await ask<T>(task, z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }), (text) =>
        readOutput({ schema, check }, text),
      );
      return completion ? { output: completion.output, source: 'model' } : { output: template(), source: 'template' };
    },

    async generateBySchema({ schema, tenantId, template, ...task }) {
      const known = schema && (await schemas.read(schema, tenantId));
      const completion = await ask<unknown>(task, schema, known?.check ?? ((text) => ({ output: text })));
      if (completion) return { output: completion.output, source: 'model' };
      return { output: known ? known.smallest : template(), source: 'template' };
    },

    converse: (conversation) => converse({ provider, breaker, log, settings, timeoutMs }, conversation),

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
