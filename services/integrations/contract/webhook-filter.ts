import { exceedsBytes } from '@tandem/contract';
import { z } from 'zod';

/** Limits of a filter. */
export const filterLimits = { bytes: 4_096, levels: 12, operations: 100, operationsInList: 20, listItems: 100 };

/** How many arguments each operator takes. */
const operators = {
  var: [1, 2],
  missing: [1, 20],
  '==': [2, 2],
  '===': [2, 2],
  '!=': [2, 2],
  '!==': [2, 2],
  '<': [2, 3],
  '<=': [2, 3],
  '>': [2, 2],
  '>=': [2, 2],
  '!': [1, 1],
  '!!': [1, 1],
  and: [1, 50],
  or: [1, 50],
  if: [2, 21],
  in: [2, 2],
  some: [2, 2],
  all: [2, 2],
  none: [2, 2],
} as const satisfies Record<string, readonly [min: number, max: number]>;

/** The operators of JSON Logic that a filter may use: none of them loops without a bound, or runs patterns or code. */
export const filterOperators = Object.keys(operators) as (keyof typeof operators)[];
const iterators: readonly string[] = ['some', 'all', 'none'];

const path = /^(id|type|createdAt|data)(\.[\w-]{1,64}){0,10}$/;
const pathInList = /^([\w-]{1,64}(\.[\w-]{1,64}){0,10})?$/;
// Properties that every object of JavaScript has.
const inherited = /(^|\.)(__proto__|constructor|prototype)(\.|$)/;

type Report = (path: string[], message: string) => void;

/** A condition of a webhook on the events that it receives, in JSON Logic. */
export const WebhookFilter = z
  .record(z.string(), z.unknown(), { error: 'Must be a JSON Logic object with one operator' })
  .superRefine((filter, context) => {
    const report: Report = (at, message) => context.addIssue({ code: 'custom', path: at, message });
    if (exceedsBytes(JSON.stringify(filter), filterLimits.bytes))
      report([], `Must be at most ${filterLimits.bytes} bytes of JSON`);
    else checkLogic(filter, [], { report, left: { operations: filterLimits.operations }, isInList: false });
  })
  .meta({
    description: `A condition on the events to receive, in JSON Logic (https://jsonlogic.com), over the body of a delivery: \`id\`, \`type\`, \`createdAt\` and \`data\`. An event that it excludes has no delivery. Operators: ${filterOperators.map((one) => `\`${one}\``).join(', ')}. At most ${filterLimits.bytes} bytes, ${filterLimits.levels} levels and ${filterLimits.operations} operators; \`some\`, \`all\` and \`none\` take a list of the event, have at most ${filterLimits.operationsInList} operators inside, and cannot be nested. If it cannot be evaluated for an event, its delivery is \`skipped\` with the error \`filter_error\`.`,
    examples: [{ '==': [{ var: 'data.source' }, 'web'] }],
  });

interface Checking {
  report: Report;
  left: { operations: number };
  /** Whether the logic is applied to each element of a list. */
  isInList: boolean;
}

function checkLogic(logic: unknown, at: string[], checking: Checking): void {
  const { report } = checking;
  if (typeof logic !== 'object' || logic === null) return;
  if (at.length > 2 * filterLimits.levels) report(at, `Must have at most ${filterLimits.levels} levels`);
  else if (Array.isArray(logic) && logic.length > filterLimits.listItems)
    report(at, `Must have at most ${filterLimits.listItems} elements`);
  else if (Array.isArray(logic))
    for (const [index, one] of logic.entries()) checkLogic(one, [...at, `${index}`], checking);
  else checkOperation(logic as Record<string, unknown>, at, checking);
}

function checkOperation(logic: Record<string, unknown>, at: string[], checking: Checking): void {
  const { report, left } = checking;
  const [name, ...more] = Object.keys(logic);
  if (name === undefined || more.length) return void report(at, 'Must have exactly one operator');
  const inner = [...at, name];
  if (!Object.hasOwn(operators, name)) return void report(inner, `Must be one of ${filterOperators.join(', ')}`);
  if (--left.operations < 0)
    return void report(
      at,
      `Must have at most ${filterLimits.operations} operators, and ${filterLimits.operationsInList} inside some, all or none`,
    );
  const args: unknown[] = Array.isArray(logic[name]) ? logic[name] : [logic[name]];
  const [min, max] = operators[name as keyof typeof operators];
  if (args.length < min || args.length > max)
    return void report(inner, min === max ? `Must have ${min} arguments` : `Must have ${min} to ${max} arguments`);
  if (name === 'var') checkVariable(args, inner, checking);
  else if (name === 'missing') for (const one of args) checkPath(one, inner, checking);
  else if (!iterators.includes(name)) checkLogic(logic[name], inner, checking);
  else if (checking.isInList) report(inner, 'Must not be inside some, all or none');
  else {
    // A list of the event: a literal one would let a short filter take long.
    if (!isVariable(args[0])) report([...inner, '0'], 'Must be a field of the event, such as {"var":"data.tags"}');
    else checkLogic(args[0], [...inner, '0'], checking);
    const inList = { operations: Math.min(left.operations, filterLimits.operationsInList) };
    checkLogic(args[1], [...inner, '1'], { ...checking, left: inList, isInList: true });
  }
}

function isVariable(logic: unknown): boolean {
  return typeof logic === 'object' && logic !== null && Object.keys(logic).join() === 'var';
}

function checkVariable([name, byDefault]: unknown[], at: string[], checking: Checking): void {
  checkPath(name, at, checking);
  if (typeof byDefault === 'object' && byDefault !== null)
    checking.report(at, 'Must have a plain value as its default');
}

function checkPath(name: unknown, at: string[], { report, isInList }: Checking): void {
  const isPath = typeof name === 'string' && (isInList ? pathInList : path).test(name) && !inherited.test(name);
  if (isPath) return;
  report(
    at,
    isInList
      ? 'Must be the name of a field of the element, such as amount, or empty for the element itself'
      : 'Must be the name of a field: id, type, createdAt, or one in data such as data.source',
  );
}
