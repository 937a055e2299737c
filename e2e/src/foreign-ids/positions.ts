import { type IdKind, type IdPath, type Operation, walkIds } from '@tandem/contract';
import { fleet as contracts } from '@tandem/gateway/contracts';

/** The parts of a request that can contain ids. */
const parts = ['params', 'query', 'body', 'form'] as const;

/** A position of an id in a request. */
export interface Position {
  service: string;
  row: Operation;
  part: (typeof parts)[number];
  /** As in `walkIds`: property names, with `*` for every element of an array. */
  path: IdPath['path'];
  type: IdKind;
  /** Such as `updateLead body.assignedTo`. */
  name: string;
}

/** Every id position of every operation, found by the same walk over the schemas that the gateway decodes ids with. */
export function idPositions(): Position[] {
  return Object.entries(contracts).flatMap(([service, rows]) =>
    Object.values(rows as Record<string, Operation>).flatMap((row) =>
      parts.flatMap((part) =>
        walkIds(row[part]).map(({ path, type }) => ({
          service,
          row,
          part,
          path,
          type,
          name: `${row.id} ${[part, ...path].join('.')}`,
        })),
      ),
    ),
  );
}
