import { Consent, type ConsentChange, consentChannels } from '@tandem/crm-contract';
import { toJsonColumn } from '@tandem/service';
import { z } from 'zod';

export type ConsentRecord = z.output<typeof Consent>;

/** The consent after a change: channels that the change does not name stay. */
export function changedConsent(before: ConsentRecord, change: z.output<typeof ConsentChange>): ConsentRecord {
  const after = { ...before };
  for (const channel of consentChannels) {
    const decision = change[channel];
    if (decision === null) delete after[channel];
    if (!decision) continue;
    const { state, source = null, at } = decision;
    const known = before[channel];
    // Sending the same decision again does not move its time.
    const isSame = known?.state === state && known.source === source && at === undefined;
    after[channel] = isSame ? known : { state, source, at: at ?? new Date() };
  }
  return after;
}

// The higher, the stricter.
const strictness = { granted: 1, unknown: 2, denied: 3 } as const;

/** For each channel the strictest consent of several persons records; of equally strict ones the first. */
export function strictestConsent(consents: readonly ConsentRecord[]): ConsentRecord {
  const found = consentChannels.flatMap((channel) => {
    const known = consents.flatMap((one) => one[channel] ?? []);
    const strictest = known.toSorted((one, other) => strictness[other.state] - strictness[one.state])[0];
    return strictest ? [[channel, strictest] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The consent as its column stores it. */
export function consentColumn(consent: ConsentRecord) {
  return toJsonColumn(z.encode(Consent, consent));
}
