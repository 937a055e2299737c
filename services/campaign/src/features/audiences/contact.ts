import type { campaignTypes } from '@tandem/campaign-contract';
import type { SelectedLead } from './sources.ts';

/** How a lead is contacted. */
export interface Contact {
  channel: 'email' | 'sms';
  address: string;
}

/** The address to which a campaign of a type sends; undefined if the lead has none. A mixed one prefers e-mail. */
export function addressFor(
  type: (typeof campaignTypes)[number],
  { email, phone }: Pick<SelectedLead, 'email' | 'phone'>,
): Contact | undefined {
  if (type !== 'sms' && email) return { channel: 'email', address: email };
  return type !== 'email' && phone ? { channel: 'sms', address: phone } : undefined;
}

/** Whether the lead may be contacted: nobody asks for a consent here, so only a denied one forbids it. */
export function hasConsent({ consent }: Pick<SelectedLead, 'consent'>, channel: Contact['channel']): boolean {
  return consent[channel]?.state !== 'denied';
}
