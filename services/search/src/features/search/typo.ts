import type { Caller } from '@tandem/caller';
import type { Tools } from '../../handler.ts';

export type Typo = 'auto' | 'off';

/** The tolerance for typos of a search: what the request says, else the setting of the tenant. */
export async function typoFor({ addonSettings }: Tools, caller: Caller, requested?: Typo): Promise<Typo> {
  if (requested) return requested;
  const settings = await addonSettings(caller, 'advanced_search');
  return settings?.typoTolerance === false ? 'off' : 'auto';
}
