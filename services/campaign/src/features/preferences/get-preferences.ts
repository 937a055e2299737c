import type { preferences } from '@tandem/campaign-contract';
import type { Handler, Tools } from '../../handler.ts';
import { type Contact, contactsOf } from './contact.ts';
import { readContactToken } from './contact-links.ts';
import { readPreferences } from './preferences.ts';

type Found = { contacts: Contact[]; isWhole: boolean };

export const getPreferences = (
  tools: Pick<Tools, 'seal' | 'ids' | 'crm'>,
): Handler<typeof preferences.getPreferences, Found> => ({
  async check({ params, caller }) {
    const link = readContactToken(tools, params.token);
    // The page works for the address of the message while the other addresses are not available.
    return contactsOf(tools, link, caller).then(
      (contacts) => ({ contacts, isWhole: true }),
      () => ({ contacts: [link], isWhole: false }),
    );
  },
  run({ params, inTenant, missing, found: { contacts, isWhole } }) {
    const link = readContactToken(tools, params.token);
    if (!isWhole) missing('channels', 'Only the channel of the message is shown, because leads are not available');
    return inTenant(link, ({ tx }) => readPreferences(tools, tx, link, contacts));
  },
});
