import { type FieldError, unknownId } from '@tandem/contract';
import {
  leadStatuses,
  type NewStatus,
  statusDefinitionCreated,
  statusDefinitionUpdated,
  statusesMax,
} from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import {
  asStatus,
  eventDataOf,
  lockDefinitions,
  type StatusRecord,
  type StatusSet,
  statusesOf,
  writeStatus,
} from './status.ts';

const sortOrderMax = 10_000;

type Item = z.output<typeof NewStatus>;
interface Context {
  tx: Tx;
  emit: Emit<typeof statusDefinitionCreated | typeof statusDefinitionUpdated>;
}

/** Definitions to create. */
interface Wanted {
  entityType: StatusRecord['entityType'];
  pipelineId?: number | null | undefined;
  items: readonly Item[];
  /** The place of an item in the body, for field errors: `statuses.0.`. */
  at?: (index: number) => string;
}

/**
 * Creates definitions with their events, all or none.
 * @throws 409 for a code that is taken or too many definitions, 422 for fields that contradict each other
 */
export async function defineStatuses({ tx, emit }: Context, wanted: Wanted): Promise<StatusRecord[]> {
  const { entityType, items, at = () => '' } = wanted;
  const errors = items.flatMap((item, index) => contradictions({ ...item, entityType }, at(index)));
  const secondDefault = items.findIndex(
    (one, index) => one.isDefault && items.findIndex((other) => other.isDefault) < index,
  );
  if (secondDefault > 0)
    errors.push({
      field: `${at(secondDefault)}isDefault`,
      message: 'Only one can be the default; send isDefault false',
    });
  if (errors.length) throw fail('validation_failed', errors);
  await lockDefinitions(tx, entityType);
  const pipelineId = await pipelineOf(tx, wanted);
  const existing = await statusesOf(tx, { entityType, pipelineId });
  if (existing.length + items.length > statusesMax) throw fail('too_many_statuses');
  checkCodes(existing, items, at);
  if (items.some(({ isDefault }) => isDefault)) await clearDefault({ tx, emit }, { entityType, pipelineId });
  const start = (existing.at(-1)?.sortOrder ?? -1) + 1;
  const created: StatusRecord[] = [];
  for (const [index, item] of items.entries()) {
    const { category, defaultProbability } = item;
    const row = await tx.statusDefinition.create({
      data: {
        ...item,
        description: item.description ?? null,
        color: item.color ?? null,
        entityType,
        pipelineId,
        sortOrder: item.sortOrder ?? Math.min(start + index, sortOrderMax),
        category: entityType === 'lead' ? (category ?? categoryOf(item)) : null,
        defaultProbability: entityType === 'opportunity' ? (defaultProbability ?? (item.isWon ? 100 : 0)) : null,
      },
    });
    const status = asStatus(row);
    emit(statusDefinitionCreated, { data: eventDataOf(status), record: status });
    created.push(status);
  }
  return created;
}

/** Removes the default of a set, with its event. */
export async function clearDefault(
  { tx, emit }: Pick<Context, 'tx'> & { emit: Emit<typeof statusDefinitionUpdated> },
  set: StatusSet,
): Promise<void> {
  const { entityType, pipelineId } = set;
  const rows = await tx.statusDefinition.findMany({ where: { entityType, pipelineId, isDefault: true } });
  for (const { id } of rows) {
    const record = await writeStatus(tx, id, { isDefault: false });
    emit(statusDefinitionUpdated, {
      data: eventDataOf(record),
      record,
      changes: { isDefault: { from: true, to: false } },
    });
  }
}

/** The pipeline of new stages: the requested one, or the default one; null for lead statuses. */
async function pipelineOf(tx: Tx, { entityType, pipelineId }: Wanted): Promise<number | null> {
  if (entityType === 'lead') {
    if (typeof pipelineId === 'number') throw failField('pipelineId', stageOnly);
    return null;
  }
  const wanted = typeof pipelineId === 'number' ? { id: pipelineId } : { isDefault: true };
  const pipeline = await tx.pipeline.lockFirst({ where: wanted });
  if (pipeline) return pipeline.id;
  throw failField(
    'pipelineId',
    pipelineId ? unknownId('pipeline') : 'Is required, because there is no default pipeline',
  );
}

function checkCodes(existing: readonly StatusRecord[], items: readonly Item[], at: (index: number) => string): void {
  const taken = new Set(existing.map(({ code }) => code));
  const errors = items.flatMap(({ code }, index) => {
    if (!taken.has(code)) {
      taken.add(code);
      return [];
    }
    return [{ field: `${at(index)}code`, message: 'Must be unique; another status or stage has this code' }];
  });
  if (errors.length) throw fail('code_taken', errors);
}

const stageOnly = 'Applies only to stages; send entityType opportunity or omit this field';

/** Errors for fields that contradict each other. */
function contradictions(item: Item & Pick<Wanted, 'entityType'>, within: string): FieldError[] {
  const { entityType, isClosed, isWon, isDefault, category, defaultProbability } = item;
  const rules: [boolean, string, string][] = [
    [isWon && !isClosed, 'isWon', 'A won stage must be closed; send isClosed true'],
    [entityType === 'lead' && isClosed, 'isClosed', stageOnly],
    [entityType === 'lead' && isWon, 'isWon', stageOnly],
    [entityType === 'lead' && typeof defaultProbability === 'number', 'defaultProbability', stageOnly],
    [
      entityType === 'opportunity' && typeof category === 'string',
      'category',
      'Applies only to lead statuses; omit this field',
    ],
    [isDefault && isClosed, 'isDefault', 'The default stage must be open; send isDefault false or isClosed false'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, field, message]) => ({ field: `${within}${field}`, message }));
}

/** A custom lead status counts as new if new leads get it, else as contacted, unless its code is a built-in status. */
function categoryOf({ code, isDefault }: Item): (typeof leadStatuses)[number] {
  return leadStatuses.find((status) => status === code) ?? (isDefault ? 'new' : 'contacted');
}
