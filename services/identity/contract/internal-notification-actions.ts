import { operations, PerformedCall } from '@tandem/contract';
import { notifications } from './notifications.ts';

const { params, errors } = notifications.pressNotificationAction;
const { transition_refused, wrong_environment } = errors;

/** For the gateway, which carries out the operations of action buttons. */
export const internalNotificationActions = operations({
  findNotificationCall: {
    method: 'GET',
    path: '/internal/notifications/:id/actions/:actionId',
    audience: 'internal',
    summary: 'Retrieve the call of an action button of the acting user, if it has one and was not pressed',
    params,
    ifMatch: true,
    reply: PerformedCall,
    message: 'Call retrieved',
    errors: { transition_refused, wrong_environment },
  },
});
