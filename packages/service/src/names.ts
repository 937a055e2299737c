import type { Caller } from '@tandem/caller';
import type { Under } from './handler.ts';
import { reachOf } from './reach.ts';

interface Named {
  id: number;
  name: string;
}

/** How a service names the records of one type. */
interface NameSource<Tx> {
  /** The permission to read them. */
  permission: `${string}:${string}`;
  /** Whether callers narrowed to own or team records may read theirs; otherwise these callers get no names. */
  narrows?: true;
  find(tx: Tx, ids: number[], caller: Caller): Promise<Named[]>;
}

type Ids<Type extends string> = Partial<Record<Type, number[] | undefined>>;

/**
 * The handler of an operation made by `nameRecords`: reads the records of each type under the caller's permission and
 * narrowing.
 */
export function namesHandler<Tx, Type extends string>(sources: Record<Type, NameSource<Tx>>) {
  return {
    async check({ body, caller, tx, under }: { body: Ids<Type>; caller: Caller; tx: Tx; under: Under }) {
      const wanted = Object.entries(body) as [Type, number[]][];
      // Sequential, because the queries share the connection of the request.
      const found: Partial<Record<Type, Named[]>> = {};
      for (const [type, ids] of wanted) {
        const { permission, narrows, find } = sources[type];
        const reach = caller.tenantId === undefined ? 'none' : reachOf(caller, permission);
        const isReadable = reach === 'all' || (reach !== 'none' && narrows);
        const records = isReadable && ids.length ? await under(permission, () => find(tx, ids, caller)) : [];
        found[type] = records.map(({ id, name }) => ({ id, name }));
      }
      return found;
    },
    run: ({ found }: { found: Partial<Record<Type, Named[]>> }) => found,
  };
}
