import type { KnownSettings } from '@tandem/identity-contract';
import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { listStatements } from '../statements/list-commission-statements.ts';
import { readDisclosure } from './disclosed.ts';

interface Found {
  settings: KnownSettings;
  hidesDeals: boolean;
}

export const listPortalStatements = (tools: Tools): Handler<typeof portalData.listPortalStatements, Found> => ({
  async check({ caller }) {
    const [settings, disclosure] = await Promise.all([tools.settingsOf(caller), readDisclosure(tools, caller)]);
    return { settings, hidesDeals: disclosure === 'none' };
  },
  async run({ found: { settings, hidesDeals }, ...context }) {
    const { id: partnerId } = await readOwnPartner(context.tx, context.caller);
    return listStatements({ ...context, found: settings }, partnerId, tools, { hidesDeals });
  },
});
