import type { KnownSettings } from '@tandem/identity-contract';
import type { portalData } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { listStatements } from '../statements/list-commission-statements.ts';

export const listPortalStatements = (tools: Tools): Handler<typeof portalData.listPortalStatements, KnownSettings> => ({
  check: ({ caller }) => tools.settingsOf(caller),
  async run(context) {
    const { id: partnerId } = await readOwnPartner(context.tx, context.caller);
    return listStatements(context, partnerId, tools);
  },
});
