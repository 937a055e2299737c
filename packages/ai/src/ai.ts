import { createBreaker, type Log } from '@tandem/process';
import { z } from 'zod';
import { notJson, parseJson } from './parse-json.ts';
import { createProvider, type Message, type Question } from './provider.ts';
import { createSchemas } from './schemas.ts';
import type { AiSettings } from './settings.ts';

/** Where a result comes from. */
export type Source = 'model' | 'template';

interface Asked {
  /** Names the task in the log and to the provider: letters, digits, `_` and `-`. */
  name: string;
  /** What to do, in words of ours. */
  instructions: string;
  /** What the caller wants, in words of theirs. */
  prompt: string;
  temperature?: number | undefined;
  maxTokens?: number | undefined;
}

/** Something to generate that fits a zod schema. */
export interface Task<T> extends Asked {
  schema: z.ZodType<T>;
  /** Rules that a schema cannot say: a sentence for each one that is broken. */
  check?: ((output: T) => string[] | Promise<string[]>) | undefined;
  /** The result without a provider. */
  template: () => T;
}

/** Something to generate that fits a JSON Schema of a customer's; without one it is a text. */
export interface SchemaTask extends Asked {
  schema?: object | undefined;
  /** The tenant of the schema: each tenant has a share of the threads that read them. */
  tenantId: number | undefined;
  /** The text without a provider. With a schema, the result without a provider is the smallest value that fits. */
  template: () => string;
}

export interface Ai {
  /** Never throws on account of the provider: whatever goes wrong there, the template is the result. */
  generate<T>(task: Task<T>): Promise<{ output: T; source: Source }>;
  /**
   * @throws SchemaError for a schema that cannot be used
   * @throws ShareTimeout when too many schemas wait to be read, or the machine is too busy
   */
  generateBySchema(task: SchemaTask): Promise<{ output: unknown; source: Source }>;
  /** Ends the threads that read schemas. */
  close(): Promise<void>;
}

/** Reads an answer: the output, or what is wrong with it. */
type Result<T> = { output: T; faults?: never } | { output?: never; faults: string[] };
type Read<T> = (text: string) => Result<T> | Promise<Result<T>>;

const defaults = {
  /** For everything that a generation asks of the provider. */
  timeoutMs: 30_000,
  /** How long a dead provider is left alone. */
  pauseMs: 60_000,
  /** The clock of that pause, in milliseconds. */
  now: () => performance.now(),
};
// The first call leaves this part of the time to the repair.
const firstShare = 2 / 3;
const failuresInARow = 3;
const faultsShownMax = 20;
const answerShownMax = 20_000;

/** Generates with the provider of the settings. Logs which task, its source and why; never a prompt, never the key. */
export function createAi(settings: AiSettings, log: Log, limits: Partial<typeof defaults> = {}): Ai {
  const { timeoutMs, pauseMs, now } = { ...defaults, ...limits };
  const provider = createProvider(settings);
  const breaker = createBreaker({ trip: { failuresInARow }, openMs: pauseMs, now });
  const schemas = createSchemas();

  /** @returns undefined when the template has to do. */
  async function ask<T>(task: Asked, schema: object | undefined, read: Read<T>): Promise<{ output: T } | undefined> {
    const end = performance.now() + timeoutMs;
    const without = (why: string) => void log.info('generated', { task: task.name, source: 'template', why });
    if (!settings.AI_PROVIDER_API_KEY) return without('no provider key');

    let messages = opening(task, schema);
    for (const attempt of ['first', 'repair'] as const) {
      if (!breaker.admits()) return without('provider is left alone after failures');
      const left = end - performance.now();
      const answer = await provider.ask({
        ...question(task, schema),
        messages,
        timeoutMs: Math.max(1, Math.floor(attempt === 'first' ? left * firstShare : left)),
      });
      if (answer.text === undefined) {
        if (answer.isDown) breaker.failed();
        else breaker.succeeded();
        return without(answer.why);
      }
      breaker.succeeded();
      const result = await read(answer.text);
      if (!result.faults) {
        log.info('generated', { task: task.name, source: 'model', attempt });
        return result;
      }
      messages = [...messages, ...corrections(answer.text, result.faults)];
    }
    return without('answer broke the rules twice');
  }

  return {
    async generate<T>({ schema, check, template, ...task }: Task<T>): Promise<{ output: T; source: Source }> {
      const found = await ask<T>(
        task,
        z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }),
        async (text) => {
          const value = parseJson(text);
          if (value === undefined) return { faults: [notJson] };
          const parsed = schema.safeParse(value);
          if (!parsed.success) return { faults: parsed.error.issues.map(({ path, message }) => at(path, message)) };
          const faults = (await check?.(parsed.data)) ?? [];
          return faults.length ? { faults } : { output: parsed.data };
        },
      );
      return found ? { output: found.output, source: 'model' } : { output: template(), source: 'template' };
    },

    async generateBySchema({ schema, tenantId, template, ...task }) {
      const known = schema && (await schemas.read(schema, tenantId));
      const found = await ask<unknown>(task, schema, known?.check ?? ((text) => ({ output: text })));
      if (found) return { output: found.output, source: 'model' };
      return { output: known ? known.smallest : template(), source: 'template' };
    },

    close: schemas.close,
  };
}

function question(
  { name, temperature, maxTokens }: Asked,
  schema: object | undefined,
): Omit<Question, 'messages' | 'timeoutMs'> {
  return { name, schema, temperature, maxTokens };
}

function opening({ instructions, prompt }: Asked, schema: object | undefined): Message[] {
  const shape = schema ? `\n\nAnswer with one JSON value that fits this JSON Schema:\n${JSON.stringify(schema)}` : '';
  return [
    { role: 'system', content: `${instructions}${shape}` },
    { role: 'user', content: prompt },
  ];
}

function corrections(answer: string, faults: string[]): Message[] {
  const list = faults.slice(0, faultsShownMax).map((fault) => `- ${fault.slice(0, 300)}`);
  return [
    { role: 'assistant', content: answer.slice(0, answerShownMax) },
    {
      role: 'user',
      content: `The answer breaks these rules:\n${list.join('\n')}\nAnswer again with the whole, corrected JSON.`,
    },
  ];
}

function at(path: PropertyKey[], message: string): string {
  return path.length ? `${path.map(String).join('.')}: ${message}` : message;
}
