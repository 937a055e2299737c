import type { preferences } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readContactToken } from './contact-links.ts';
import { unsubscribeState } from './unsubscribe-state.ts';

export const getUnsubscribe =
  (tools: Pick<Tools, 'seal'>): Handler<typeof preferences.getUnsubscribe> =>
  ({ params, inTenant }) => {
    const link = readContactToken(tools, params.token);
    return inTenant(link, ({ tx }) => unsubscribeState(tools, tx, link));
  };
