// How far an import from another CRM has got: object by object, each from the first record to the last one.
import type { Cursor } from './sync.ts';

/** Changes from this long before the start of the previous run are read again, because clocks differ and indexes lag. */
const overlapMs = 5 * 60_000;

/** A part of a run: all records of an object or those that changed, or its deleted records. */
export interface Step<Name extends string> {
  object: Name;
  part: 'records' | 'deleted';
  /** Only records that changed at this time or later; undefined for all. */
  since: Date | undefined;
}

/** The stored form. Between two runs, it has `marks` only. */
interface State {
  /** For each object, the time from which the next run reads changes. */
  marks: Record<string, number>;
  /** When the run in progress began. */
  startedAt?: number;
  object?: string;
  part?: string;
  /** Where the next page of the step begins; null for the first one. */
  after?: string | null;
}

/** A run at one of its pages. */
export interface Run<Name extends string> {
  step: Step<Name>;
  after: string | null;
  /** The cursor at the next page, which begins at `after`; null if this page is the last one of its step. */
  next(after: string | null): { cursor: Cursor; isLast: boolean };
}

/**
 * Finds the page that a cursor names. Objects of which no earlier run has read are read whole.
 * @param objects in the order in which they are read
 * @param hasDeleted whether the system lists deleted records of their own
 */
export function runAt<Name extends string>(
  cursor: Cursor | null,
  objects: readonly Name[],
  { hasDeleted, now = Date.now() }: { hasDeleted: boolean; now?: number },
): Run<Name> {
  const { marks, startedAt = now, object, part, after = null } = stateOf(cursor);
  const steps = stepsOf(objects, marks, hasDeleted);
  // Settings that changed during a run may have removed its object.
  const found = steps.findIndex((one) => one.object === object && one.part === part);
  const index = Math.max(found, 0);
  const step = steps[index] as Step<Name>;
  const at = (next: Step<Name>, from: string | null): Cursor => ({
    ...{ marks, startedAt, object: next.object, part: next.part, after: from },
  });
  return {
    step,
    after: found < 0 ? null : after,
    next(from) {
      if (from !== null) return { cursor: at(step, from), isLast: false };
      const following = steps[index + 1];
      if (following) return { cursor: at(following, null), isLast: false };
      const read = Object.fromEntries(objects.map((one) => [one, startedAt - overlapMs]));
      return { cursor: { marks: { ...marks, ...read } }, isLast: true };
    },
  };
}

function stateOf(cursor: Cursor | null): State {
  return { marks: {}, ...cursor } as State;
}

function stepsOf<Name extends string>(
  objects: readonly Name[],
  marks: Record<string, number>,
  hasDeleted: boolean,
): Step<Name>[] {
  return objects.flatMap((object) => {
    const mark = marks[object];
    const since = mark === undefined ? undefined : new Date(mark);
    const records = { object, part: 'records' as const, since };
    return since && hasDeleted ? [records, { object, part: 'deleted' as const, since }] : [records];
  });
}
