import { unknownId } from '@tandem/contract';
import { statusDefinitionUpdated, type statuses } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockDefinitions, statusesOf, writeStatus } from './status.ts';

export const orderStatuses: Handler<typeof statuses.orderStatuses> = async ({ body: { ids }, tx, emit }) => {
  const found = await tx.statusDefinition.findMany({ where: { id: { in: ids } } });
  const known = new Set(found.map(({ id }) => id));
  const errors = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `ids.${index}`, message: unknownId('status_definition') }],
  );
  const [first] = found;
  if (!first || errors.length) throw fail('validation_failed', errors);
  await lockDefinitions(tx, first.entityType);
  const all = await statusesOf(tx, { entityType: first.entityType as 'lead', pipelineId: first.pipelineId });
  const isComplete = ids.length === all.length && all.every(({ id }) => ids.includes(id));
  if (!isComplete)
    throw failField(
      'ids',
      'Must contain the id of every lead status, or of every stage of one pipeline, once and no others',
    );
  const byId = new Map(all.map((status) => [status.id, status]));
  const ordered = [];
  for (const [sortOrder, id] of ids.entries()) {
    const status = byId.get(id) as (typeof all)[number];
    if (status.sortOrder === sortOrder) {
      ordered.push(status);
      continue;
    }
    const record = await writeStatus(tx, id, { sortOrder });
    const changes = { sortOrder: { from: status.sortOrder, to: sortOrder } };
    emit(statusDefinitionUpdated, { data: eventDataOf(record), record, changes });
    ordered.push(record);
  }
  return { statuses: ordered };
};
