import type { Caller } from '@tandem/caller';
import { duplicateTypes } from '@tandem/search-contract';
import { fail, reachOf } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { ownersWithin, permissionFor } from '../search/owners.ts';

type Type = (typeof duplicateTypes)[number];
type Condition = Record<string, unknown>;

/**
 * The condition for the pairs both of whose records a caller may read; to write one, also write. Pairs of removed records
 * are hidden.
 * @throws ApiError 403 when the caller may read no records of the type, or of any type
 */
export function visiblePairs(tools: Tools, caller: Caller, { type }: { type?: Type | undefined } = {}): Condition {
  const types = duplicateTypes.filter((one) => (type ?? one) === one);
  const readable = types.filter((one) => reachOf(caller, permissionFor(one, 'read')) !== 'none');
  if (!readable.length) throw fail('forbidden');
  return eitherOf(readable, (one) => accessible(tools, caller, { type: one, action: 'read' }));
}

/** The condition for the pairs both of whose records a caller may write; undefined when there can be none. */
export function writablePairs(tools: Tools, caller: Caller): Condition | undefined {
  const types = duplicateTypes.filter((one) => reachOf(caller, permissionFor(one, 'write')) !== 'none');
  if (!types.length) return undefined;
  return eitherOf(types, (one) => accessible(tools, caller, { type: one, action: 'write' }));
}

/** The condition on each record of a pair of a type. */
function accessible(
  tools: Tools,
  caller: Caller,
  { type, action }: { type: Type; action: 'read' | 'write' },
): Condition {
  const reach = reachOf(caller, permissionFor(type, action));
  const owners = reach === 'none' ? [] : ownersWithin(reach, caller, tools);
  return { removedAt: null, ...(owners && { OR: owners.map((owner) => ({ owners: { has: owner } })) }) };
}

/** A condition that types have in common is not an alternative: one alternative is read from an index. */
function eitherOf(types: Type[], recordOf: (type: Type) => Condition): Condition {
  const groups = [...Map.groupBy(types, (type) => JSON.stringify(recordOf(type))).values()];
  const alternatives = groups.map((group) => {
    const record = recordOf(group[0] as Type);
    const type = group.length === duplicateTypes.length ? {} : { type: group.length === 1 ? group[0] : { in: group } };
    return { ...type, first: record, second: record };
  });
  return alternatives.length === 1 ? (alternatives[0] as Condition) : { OR: alternatives };
}
