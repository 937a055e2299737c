import type { FieldError } from '@tandem/contract';
import { leadStatuses, statusDefinitionCreated, statusDefinitionUpdated, type statuses } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { asStatus, type StatusRecord } from './status.ts';

const sortOrderMax = 10_000;

type Body = z.output<typeof statuses.createStatus.body>;

export const createStatus: Handler<typeof statuses.createStatus> = async ({ body, tx, emit }) => {
  const errors = contradictions(body);
  if (errors.length) throw fail('validation_failed', errors);
  const { entityType, code, isDefault } = body;
  await lockDefinitions(tx, entityType);
  const taken = await tx.statusDefinition.findFirst({ where: { entityType, code }, select: { id: true } });
  if (taken)
    throw fail('code_taken', [{ field: 'code', message: 'Must be unique; another status or stage has this code' }]);
  const previousDefaults = isDefault ? await clearDefault(tx, entityType) : [];
  for (const previous of previousDefaults) {
    emit(statusDefinitionUpdated, {
      data: eventDataOf(previous),
      record: previous,
      changes: { isDefault: { from: true, to: false } },
    });
  }
  const row = await tx.statusDefinition.create({
    data: {
      ...body,
      sortOrder: body.sortOrder ?? (await nextSortOrder(tx, entityType)),
      category: entityType === 'lead' ? (body.category ?? categoryOf(code)) : null,
      defaultProbability: entityType === 'opportunity' ? (body.defaultProbability ?? (body.isWon ? 100 : 0)) : null,
    },
  });
  const status = asStatus(row);
  emit(statusDefinitionCreated, { data: eventDataOf(status), record: status });
  return status;
};

/** Errors for fields that contradict each other. */
function contradictions({ entityType, isClosed, isWon, isDefault, category, defaultProbability }: Body): FieldError[] {
  const stageOnly = 'Applies only to stages; send entityType opportunity or omit this field';
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
  return rules.filter(([isBroken]) => isBroken).map(([, field, message]) => ({ field, message }));
}

/** Locks all definitions of a kind: two requests must not both find a code free or clear the same default. */
async function lockDefinitions(tx: Tx, entityType: string): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`status_definition ${entityType}`},
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

async function clearDefault(tx: Tx, entityType: string): Promise<StatusRecord[]> {
  const rows = await tx.statusDefinition.updateManyAndReturn({
    where: { entityType, isDefault: true },
    data: { isDefault: false, version: { increment: 1 } },
  });
  return rows.map(asStatus);
}

async function nextSortOrder(tx: Tx, entityType: string): Promise<number> {
  const last = await tx.statusDefinition.findFirst({
    where: { entityType },
    orderBy: [{ sortOrder: 'desc' }, { id: 'desc' }],
    select: { sortOrder: true },
  });
  return last ? Math.min(last.sortOrder + 1, sortOrderMax) : 0;
}

/** A custom lead status counts as contacted, unless its code is one of the four default statuses. */
function categoryOf(code: string): (typeof leadStatuses)[number] {
  return leadStatuses.find((status) => status === code) ?? 'contacted';
}

function eventDataOf({ id: statusDefinitionId, entityType, code }: StatusRecord) {
  return { statusDefinitionId, entityType, code };
}
