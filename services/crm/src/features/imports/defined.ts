import type { Tx } from '../../handler.ts';
import { type Definition, type Entity, readDefinitions } from '../custom-fields/custom-field.ts';

/** What a tenant defined for a type of record, which the conversion of rows needs. */
export interface Defined {
  /** The custom fields. */
  definitions: readonly Definition[];
  /** The lead statuses, or the stages of all pipelines. */
  statuses: readonly { id: number; code: string; name: string; pipelineId: number | null; isClosed: boolean }[];
}

export async function readDefined(tx: Tx, entityType: Entity): Promise<Defined> {
  const statuses = await tx.statusDefinition.findMany({
    where: { entityType },
    select: { id: true, code: true, name: true, pipelineId: true, isClosed: true },
    orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
  });
  return { definitions: await readDefinitions(tx, entityType), statuses };
}

/** The one that a text names by its code, or else by its name. */
export function named<One extends { code: string; name: string }>(
  defined: readonly One[],
  text: string,
): One | undefined {
  const folded = text.toLowerCase();
  return defined.find(({ code }) => code === folded) ?? defined.find(({ name }) => name.toLowerCase() === folded);
}
