import type { Caller } from '@tandem/caller';
import type { notifications } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { asNotification, checkPressable, lockOwn, pressedOf, resultsOf, writeNotification } from './notification.ts';

/** The gateway has carried out the operation of an action of type api: see `findNotificationCall`. */
export const pressNotificationAction =
  ({ feeds }: Pick<Tools, 'feeds'>): Handler<typeof notifications.pressNotificationAction> =>
  async ({ afterCommit, params: { id, actionId }, caller, tx, ifMatch }) => {
    const row = await lockOwn(tx, caller, id);
    ifMatch(row);
    const pressed = pressedOf(row);
    if (Object.hasOwn(pressed, actionId)) throw fail('already_pressed');
    const action = checkPressable(row, actionId);
    const result = action.type === 'api' ? resultOf(caller) : null;
    const now = new Date();
    const status = action.type === 'dismiss' ? 'archived' : row.status === 'delivered' ? 'read' : row.status;
    const notification = await writeNotification(tx, row, {
      status,
      readAt: row.readAt ?? now,
      pressed: { ...pressed, [actionId]: now.toISOString() },
      ...(result && { results: { ...resultsOf(row), [actionId]: result } }),
    });
    afterCommit(() => feeds.changed(row.tenantId, [row.userId]));
    return {
      actionId,
      type: action.type,
      url: action.type === 'dismiss' ? null : (action.url ?? null),
      result,
      notification: asNotification(notification),
    };
  };

/**
 * The result of the call that the gateway made.
 * @throws ApiError 409 while another press makes it, 503 if it failed, so that the button can be pressed again
 */
function resultOf({ performed }: Caller) {
  // A gateway of the previous release makes no call.
  if (!performed) throw fail('unavailable');
  const { status, code = null } = performed;
  if (code === 'idempotency_running') throw fail('already_pressed');
  if (status >= 500 || status === 429)
    throw fail('action_failed', [{ field: 'result', message: `Was ${status}${code === null ? '' : ` (${code})`}` }]);
  return { status, code };
}
