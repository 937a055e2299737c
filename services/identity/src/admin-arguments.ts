// Arguments of the commands of `npm run admin`.
import { parseArgs } from 'node:util';

/** A wrong command line. The message is printed with the usage. */
export class UsageError extends Error {}

/** Parses the options of all commands. */
export function parseOptions(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        monthly: text,
        rate: text,
        burst: text,
        plan: text,
        days: text,
        id: text,
        tenant: text,
        from: text,
        grace: text,
        reason: text,
        all: { type: 'boolean' },
        repair: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

interface Arguments {
  0: [];
  1: [string];
  2: [string, string];
}

/** @throws UsageError unless there are exactly `count` arguments */
export function expectArguments<N extends keyof Arguments>(args: string[], count: N): Arguments[N] {
  if (!hasLength(args, count))
    throw new UsageError(`This command takes ${count || 'no'} ${count === 1 ? 'argument' : 'arguments'}.`);
  return args;
}

function hasLength<N extends keyof Arguments>(args: string[], count: N): args is Arguments[N] {
  return args.length === count;
}

/** Parses the value of an option; null when the option is absent. */
export function wholeNumber(option: string, text: string | undefined, min = 1): number | null {
  if (text === undefined) return null;
  const isNumber = /^[0-9]{1,9}$/.test(text) && Number(text) >= min;
  if (!isNumber) throw new UsageError(`--${option} must be a whole number of at most 9 digits, at least ${min}.`);
  return Number(text);
}
