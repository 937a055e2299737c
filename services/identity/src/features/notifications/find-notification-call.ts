import type { internalNotificationActions } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { callKeyOf } from './action-call.ts';
import { checkPressable, isExpired, pressedOf, recipientOf } from './notification.ts';

/** Refuses what pressing the button would refuse, so that no call is made for it. */
export const findNotificationCall: Handler<typeof internalNotificationActions.findNotificationCall> = async ({
  params: { id, actionId },
  caller,
  tx,
  ifMatch,
}) => {
  // Identity refuses writes of sandbox keys: the call must not be made before that.
  if (caller.keyId !== undefined && caller.environment === 'sandbox') throw fail('live_key_needed');
  const row = await tx.notification.findFirst({ where: { id, userId: recipientOf(caller) } });
  if (!row || isExpired(row)) throw fail('not_found');
  const action = checkPressable(row, actionId);
  // Pressing it refuses the second press, and repeats the first response for the same Idempotency-Key.
  if (action.type !== 'api' || Object.hasOwn(pressedOf(row), actionId)) return { call: null };
  ifMatch(row);
  const environment = row.isSandbox ? 'sandbox' : 'live';
  if (caller.environment !== environment) throw fail('wrong_environment');
  const { url, body = {} } = action;
  return { call: { path: url as string, body, idempotencyKey: callKeyOf(row, actionId), environment } };
};
