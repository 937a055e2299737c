import type { FieldError } from '@tandem/contract';
import { leadStatuses, statusDefinitionCreated, statusDefinitionUpdated, type statuses } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { asStatus, type StatusRecord } from './status.ts';

const placeMax = 10_000;

type Body = z.output<typeof statuses.createStatus.body>;

export const createStatus: Handler<typeof statuses.createStatus> = async ({ body, tx, emit }) => {
  const errors = contradictions(body);
  if (errors.length) throw fail('validation_failed', errors);
  const { entityType, code, isDefault } = body;
  await lockDefinitions(tx, entityType);
  const taken = await tx.statusDefinition.findFirst({ where: { entityType, code }, select: { id: true } });
  if (taken) throw fail('code_taken', [{ field: 'code', message: 'Is in use already; take another' }]);
  for (const former of isDefault ? await clearDefault(tx, entityType) : [])
    emit(statusDefinitionUpdated, {
      data: about(former),
      record: former,
      changes: { isDefault: { from: true, to: false } },
    });
  const row = await tx.statusDefinition.create({
    data: {
      ...body,
      sortOrder: body.sortOrder ?? (await nextPlace(tx, entityType)),
      category: entityType === 'lead' ? (body.category ?? categoryOf(code)) : null,
      defaultProbability: entityType === 'opportunity' ? (body.defaultProbability ?? (body.isWon ? 100 : 0)) : null,
    },
  });
  const status = asStatus(row);
  emit(statusDefinitionCreated, { data: about(status), record: status });
  return status;
};

/** What of a body cannot be true at the same time. */
function contradictions({ entityType, isClosed, isWon, isDefault, category, defaultProbability }: Body): FieldError[] {
  const stageOnly = 'Only stages have it; send entityType opportunity';
  const rules: [boolean, string, string][] = [
    [isWon && !isClosed, 'isWon', 'A stage that is won is also closed; send isClosed true'],
    [entityType === 'lead' && isClosed, 'isClosed', stageOnly],
    [entityType === 'lead' && isWon, 'isWon', stageOnly],
    [entityType === 'lead' && typeof defaultProbability === 'number', 'defaultProbability', stageOnly],
    [entityType === 'opportunity' && typeof category === 'string', 'category', 'Only lead statuses have one'],
    [isDefault && isClosed, 'isDefault', 'New opportunities start in an open stage'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, field, message]) => ({ field, message }));
}

/** Holds all definitions of a kind, so that two requests find neither the same code free nor the same default to clear. */
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

async function nextPlace(tx: Tx, entityType: string): Promise<number> {
  const last = await tx.statusDefinition.findFirst({
    where: { entityType },
    orderBy: [{ sortOrder: 'desc' }, { id: 'desc' }],
    select: { sortOrder: true },
  });
  return last ? Math.min(last.sortOrder + 1, placeMax) : 0;
}

/** A status of the tenant's own is a step of working on the lead, unless it is named like one of the four. */
function categoryOf(code: string): (typeof leadStatuses)[number] {
  return leadStatuses.find((status) => status === code) ?? 'contacted';
}

function about({ id: statusDefinitionId, entityType, code }: StatusRecord) {
  return { statusDefinitionId, entityType, code };
}
