import type { Log } from '@tandem/process';
import { z } from 'zod';
import { createBreaker } from './breaker.ts';
import { createProvider, type Message, type Question } from './provider.ts';
import { readSchema } from './schema.ts';
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
  check?: ((output: T) => string[]) | undefined;
  /** The result without a provider. */
  template: () => T;
}

/** Something to generate that fits a JSON Schema of the caller's; without one it is a text. */
export interface SchemaTask extends Asked {
  schema?: object | undefined;
  template: () => unknown;
}

export interface Ai {
  /** Never throws on account of the provider: whatever goes wrong there, the template is the result. */
  generate<T>(task: Task<T>): Promise<{ output: T; source: Source }>;
  /** @throws SchemaError for a schema that `readSchema` refuses */
  generateBySchema(task: SchemaTask): Promise<{ output: unknown; source: Source }>;
}

/** Reads an answer: the output, or what is wrong with it. */
type Read<T> = (text: string) => { output: T } | { output?: never; faults: string[] };

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
const faultsShownMax = 20;
const answerShownMax = 20_000;

/** Generates with the provider of the settings. Logs which task, its source and why; never a prompt, never the key. */
export function createAi(settings: AiSettings, log: Log, limits: Partial<typeof defaults> = {}): Ai {
  const { timeoutMs, pauseMs, now } = { ...defaults, ...limits };
  const provider = createProvider(settings);
  const breaker = createBreaker(pauseMs, now);

  /** @returns undefined when the template has to do. */
  async function ask<T>(task: Asked, schema: object | undefined, read: Read<T>): Promise<{ output: T } | undefined> {
    const end = performance.now() + timeoutMs;
    const without = (why: string) => void log.info('generated', { task: task.name, source: 'template', why });
    if (!settings.AI_PROVIDER_API_KEY) return without('no provider key');

    let messages = opening(task, schema);
    for (const attempt of ['first', 'repair'] as const) {
      if (!breaker.isClosed()) return without('provider is left alone after failures');
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
      const result = read(answer.text);
      if (!('faults' in result)) {
        log.info('generated', { task: task.name, source: 'model', attempt });
        return result;
      }
      messages = [...messages, ...corrections(answer.text, result.faults)];
    }
    return without('answer broke the rules twice');
  }

  return {
    async generate({ schema, check, template, ...task }) {
      const found = await ask(task, z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }), (text) => {
        const value = parseJson(text);
        if (value === undefined) return { faults: [notJson] };
        const parsed = schema.safeParse(value);
        if (!parsed.success) return { faults: parsed.error.issues.map(({ path, message }) => at(path, message)) };
        const faults = check?.(parsed.data) ?? [];
        return faults.length ? { faults } : { output: parsed.data };
      });
      return found ? { ...found, source: 'model' } : { output: template(), source: 'template' };
    },

    async generateBySchema({ schema, template, ...task }) {
      const known = schema && readSchema(schema);
      const found = await ask<unknown>(task, schema, (text) => {
        if (!known) return { output: text };
        const value = parseJson(text);
        if (value === undefined) return { faults: [notJson] };
        const faults = known.faults(value);
        return faults.length ? { faults } : { output: value };
      });
      return found ? { ...found, source: 'model' } : { output: template(), source: 'template' };
    },
  };
}

const notJson = 'The answer must be one JSON value and nothing else.';

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

/** Models like to put a fence around their JSON. */
function parseJson(text: string): unknown {
  const start = text.indexOf('\n') + 1;
  const isFenced = text.trimStart().startsWith('```');
  const bare = isFenced ? text.slice(start, text.lastIndexOf('```')) : text;
  try {
    return JSON.parse(bare);
  } catch {
    return undefined;
  }
}

function at(path: PropertyKey[], message: string): string {
  return path.length ? `${path.map(String).join('.')}: ${message}` : message;
}
