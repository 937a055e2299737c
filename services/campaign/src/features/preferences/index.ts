import type { preferences } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getPreferences } from './get-preferences.ts';
import { getUnsubscribe } from './get-unsubscribe.ts';
import { showPreferencesPage } from './show-preferences-page.ts';
import { showUnsubscribePage } from './show-unsubscribe-page.ts';
import { unsubscribe } from './unsubscribe.ts';
import { updatePreferences } from './update-preferences.ts';

export const preferenceHandlers = (tools: Tools) =>
  ({
    getUnsubscribe: getUnsubscribe(tools),
    unsubscribe: unsubscribe(tools),
    getPreferences: getPreferences(tools),
    updatePreferences: updatePreferences(tools),
    showUnsubscribePage: showUnsubscribePage(tools),
    showPreferencesPage: showPreferencesPage(tools),
  }) satisfies Handlers<typeof preferences, Tx>;
