import type { FieldError } from '@tandem/contract';
import { statusDefinitionUpdated, type statuses } from '@tandem/crm-contract';
import { diff, fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { clearDefault } from './define-statuses.ts';
import { isLastOfKind } from './last-of-kind.ts';
import { eventDataOf, lockStatus, type StatusRecord, writeStatus } from './status.ts';

type Body = z.output<typeof statuses.updateStatus.body>;

export const updateStatus: Handler<typeof statuses.updateStatus> = async ({ params, body, tx, emit, ifMatch }) => {
  const status = await lockStatus(tx, params.id);
  ifMatch(status);
  const errors = contradictions(status, body);
  if (errors.length) throw fail('validation_failed', errors);
  const { isEmpty, values, audit } = diff(status, body);
  if (isEmpty) return status;
  if (values.category) await checkCategory(tx, status);
  if (values.isDefault) await clearDefault({ tx, emit }, status);
  const record = await writeStatus(tx, status.id, values);
  emit(statusDefinitionUpdated, { data: eventDataOf(record), record, changes: audit });
  return record;
};

/** Errors for fields that contradict the status. */
function contradictions({ entityType, isClosed, isWon, isDefault }: StatusRecord, body: Body): FieldError[] {
  const fixed = 'Never changes; create another stage, and delete this one with replaceWithId';
  const rules: [boolean, string, string][] = [
    [entityType === 'opportunity' && body.category !== undefined, 'category', 'Applies only to lead statuses'],
    [entityType === 'lead' && body.defaultProbability !== undefined, 'defaultProbability', 'Applies only to stages'],
    [body.isClosed !== undefined && body.isClosed !== isClosed, 'isClosed', fixed],
    [body.isWon !== undefined && body.isWon !== isWon, 'isWon', fixed],
    [isClosed && body.isDefault === true, 'isDefault', 'The default stage must be open; choose an open one'],
    [
      isDefault && body.isDefault === false,
      'isDefault',
      'One must be the default; make another one the default instead',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, field, message]) => ({ field, message }));
}

/** The leads of a status have its category as their status, so it changes only while no lead has it. */
async function checkCategory(tx: Tx, status: StatusRecord): Promise<void> {
  const leads = await tx.lead.count({ where: { statusCode: status.code } });
  if (leads) throw fail('status_in_use', [{ field: 'category', message: `${leads} leads have this status` }]);
  const last = await isLastOfKind(tx, status);
  if (last) throw fail('last_of_kind', [{ field: 'category', message: last }]);
}
