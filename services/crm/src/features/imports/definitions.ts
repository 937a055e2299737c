import { actingUserId, type Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { asService } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { type Definition, type Entity, readDefinitions } from '../custom-fields/custom-field.ts';
import { type DateOrder, dateOrderOf } from './dates.ts';
import type { ImportRecord } from './import.ts';

type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** What a tenant defined for a type of record, which the conversion of rows needs. */
export interface Defined {
  /** The custom fields. */
  definitions: readonly Definition[];
  /** The pipelines of opportunities. */
  pipelines: readonly { id: number; name: string; isDefault: boolean }[];
  /** How the person who imports writes dates. */
  dateOrder: DateOrder;
  /** The lead statuses, or the stages of all pipelines. */
  statuses: readonly { id: number; code: string; name: string; pipelineId: number | null; isClosed: boolean }[];
}

export async function readDefined(
  tx: Tx,
  {
    entityType,
    fields,
    peers,
    caller,
    outside,
  }: { entityType: Entity; fields: readonly (string | null)[]; peers: Peers; caller: Caller; outside: Outside },
): Promise<Defined> {
  const dateOrder = fields.some(mayBeDate) ? await outside(() => readDateOrder(peers, caller)) : null;
  const pipelines =
    entityType === 'opportunity'
      ? await tx.pipeline.findMany({ select: { id: true, name: true, isDefault: true }, orderBy: { id: 'asc' } })
      : [];
  const statuses = await tx.statusDefinition.findMany({
    where: { entityType },
    select: { id: true, code: true, name: true, pipelineId: true, isClosed: true },
    orderBy: [{ sortOrder: 'asc' }, { id: 'asc' }],
  });
  return { definitions: await readDefinitions(tx, entityType), statuses, pipelines, dateOrder };
}

/** The fields that columns and defaults of an import have. */
export function fieldsOf({
  mapping = {},
  defaults = {},
}: {
  mapping?: ImportRecord['mapping'] | undefined;
  defaults?: ImportRecord['defaults'] | undefined;
}): (string | null)[] {
  return [...Object.values(mapping), ...Object.keys(defaults)];
}

/** The one that a text names by its code, or else by its name. */
export function named<One extends { code: string; name: string }>(
  defined: readonly One[],
  text: string,
): One | undefined {
  const folded = text.toLowerCase();
  return defined.find(({ code }) => code === folded) ?? defined.find(({ name }) => name.toLowerCase() === folded);
}

/** Whether a field can be a date, so that other imports need not ask how the user writes dates. */
function mayBeDate(field: string | null): boolean {
  return field === 'expectedCloseAt' || (field?.startsWith('customFields.') ?? false);
}

async function readDateOrder(peers: Peers, caller: Caller): Promise<DateOrder> {
  const id = actingUserId(caller);
  const user =
    id === undefined ? undefined : await orAbsent(peers.identity.findUser({ params: { id }, as: asService(caller) }));
  return dateOrderOf(user?.dateFormat, await peers.localeOf(caller));
}
