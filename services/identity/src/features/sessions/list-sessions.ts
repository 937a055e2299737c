import { type sessions, UserSession } from '@tandem/identity-contract';
import type { Handler } from '../../handler.ts';
import { deviceOf } from './device.ts';
import { openSessionsOf } from './session-owner.ts';

const { method } = UserSession.shape;

export const listSessions: Handler<typeof sessions.listSessions> = async ({ caller, tx, list }) => {
  const page = await list({ model: tx.session, where: openSessionsOf(caller) });
  return {
    ...page,
    items: page.items.map((row) => ({
      ...row,
      method: method.parse(row.method),
      device: deviceOf(row.userAgent),
      current: row.id === caller.sessionId,
    })),
  };
};
