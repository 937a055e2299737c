import type { z } from 'zod';
import { notJson, parseJson } from './parse-json.ts';
import type { Message } from './provider.ts';

/** A parsed completion: the output, or its faults. */
export type Result<T> = { output: T; faults?: never } | { output?: never; faults: string[] };

const faultsShownMax = 20;
const responseShownMax = 20_000;

/** The beginning of a conversation. */
export function firstMessages(
  { instructions, prompt }: { instructions: string; prompt: string },
  schema: object | undefined,
): Message[] {
  const shape = schema
    ? `\n\nRespond with one JSON value that is valid against this JSON Schema:\n${JSON.stringify(schema)}`
    : '';
  return [
    { role: 'system', content: `${instructions}${shape}` },
    { role: 'user', content: prompt },
  ];
}

/** The request to correct a response. */
export function repairMessages(completion: string, faults: string[]): Message[] {
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

/** Parses and checks a response that must match a zod schema. */
export async function readOutput<T>(
  { schema, check }: { schema: z.ZodType<T>; check?: ((output: T) => string[] | Promise<string[]>) | undefined },
  text: string,
): Promise<Result<T>> {
  const value = parseJson(text);
  if (value === undefined) return { faults: [notJson] };
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { faults: parsed.error.issues.map(({ path, message }) => withPath(path, message)) };
  const faults = (await check?.(parsed.data)) ?? [];
  return faults.length ? { faults } : { output: parsed.data };
}
