import type { preferences } from '@tandem/campaign-contract';
import { formPage, noticePage, type PageLanguage } from '@tandem/pages';
import type { Handler, Tools } from '../../handler.ts';
import { preferencesUrl, readContactToken } from './contact-links.ts';
import { languageOf, pageTexts } from './page-texts.ts';
import { unsubscribeState } from './unsubscribe-state.ts';

export const showUnsubscribePage = (
  tools: Pick<Tools, 'seal' | 'settingsOf' | 'publicUrl'>,
): Handler<typeof preferences.showUnsubscribePage, PageLanguage> => ({
  check: ({ params, caller }) => languageOf(tools, readContactToken(tools, params.token), caller),
  async run({ params, query, inTenant, found: lang }) {
    const link = readContactToken(tools, params.token);
    const state = await inTenant(link, ({ tx }) => unsubscribeState(tools, tx, link));
    const { address, unsubscribedFromAll, unsubscribedFromTopic } = state;
    const topic = query.all ? null : state.topic;
    const texts = pageTexts[lang];
    const choose = { label: texts.choose, url: preferencesUrl(tools, params.token) };
    if (unsubscribedFromAll || (topic && unsubscribedFromTopic))
      return noticePage({ title: texts.unsubscribe, text: texts.already(address), next: choose, lang });
    return formPage({
      title: texts.unsubscribe,
      text: texts.unsubscribeFrom(address, topic?.name),
      action: `/v1/public/unsubscribe/${params.token}`,
      lang,
      fields: topic ? [{ name: 'all', label: texts.fromAll, checked: false }] : [],
      button: texts.unsubscribe,
      done: texts.unsubscribed,
      next: choose,
    });
  },
});
