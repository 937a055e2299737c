import type { preferences } from '@tandem/campaign-contract';
import { formPage, type PageLanguage } from '@tandem/pages';
import type { Handler, Tools } from '../../handler.ts';
import { type Contact, contactsOf } from './contact.ts';
import { readContactToken } from './contact-links.ts';
import { languageOf, pageTexts } from './page-texts.ts';
import { readPreferences } from './preferences.ts';
import { unsubscribeState } from './unsubscribe-state.ts';

const pauseMonths = [1, 3, 6];

export const showPreferencesPage = (
  tools: Pick<Tools, 'seal' | 'ids' | 'crm' | 'settingsOf'>,
): Handler<typeof preferences.showPreferencesPage, { lang: PageLanguage; contacts: Contact[] }> => ({
  async check({ params, caller }) {
    const link = readContactToken(tools, params.token);
    const contacts = await contactsOf(tools, link, caller).catch(() => [link]);
    return { lang: await languageOf(tools, link, caller), contacts };
  },
  async run({ params, inTenant, found: { lang, contacts } }) {
    const link = readContactToken(tools, params.token);
    const { state, chosen } = await inTenant(link, async ({ tx }) => ({
      state: await unsubscribeState(tools, tx, link),
      chosen: await readPreferences(tools, tx, link, contacts),
    }));
    const texts = pageTexts[lang];
    const { channels, topics, availableTopics } = chosen;
    return formPage({
      title: texts.preferences,
      text: texts.which(state.address),
      action: `/v1/public/preferences/${params.token}`,
      method: 'PATCH',
      lang,
      fields: [
        ...(['email', 'sms'] as const).flatMap((channel) => {
          const checked = channels[channel];
          return checked === undefined ? [] : [{ name: `channels.${channel}`, label: texts[channel], checked }];
        }),
        ...availableTopics.map(({ id, name, description }) => {
          const code = tools.ids.encode('topic', link.tenantId, id);
          const label = description ? `${name}: ${description}` : name;
          return { name: `topics.${code}`, label, checked: topics[code] ?? true };
        }),
        {
          name: 'pauseUntil',
          label: texts.pause,
          options: pauseOptions(chosen.pauseUntil, lang),
          value: chosen.pauseUntil?.toISOString() ?? '',
          isNullable: true,
        },
      ],
      button: texts.save,
      done: texts.saved,
      stays: true,
    });
  },
});

function pauseOptions(current: Date | null, lang: PageLanguage) {
  const texts = pageTexts[lang];
  const form = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' });
  return [
    { value: '', label: texts.noPause },
    ...(current ? [{ value: current.toISOString(), label: texts.untilNow(form.format(current)) }] : []),
    ...pauseMonths.map((count) => {
      const until = new Date();
      until.setUTCMonth(until.getUTCMonth() + count);
      return { value: until.toISOString(), label: texts.months(count) };
    }),
  ];
}
