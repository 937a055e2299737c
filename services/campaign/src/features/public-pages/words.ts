const texts = {
  en: {
    skip: 'Skip to the content',
    send: 'Send',
    optional: 'optional',
    choose: 'Please choose',
    check: 'Please check the marked fields.',
    unreachable: 'The server could not be reached. Please try again.',
    needsScript: 'This form needs JavaScript.',
  },
  de: {
    skip: 'Zum Inhalt springen',
    send: 'Absenden',
    optional: 'freiwillig',
    choose: 'Bitte wählen',
    check: 'Bitte prüfen Sie die markierten Felder.',
    unreachable: 'Der Server ist nicht erreichbar. Bitte versuchen Sie es erneut.',
    needsScript: 'Dieses Formular benötigt JavaScript.',
  },
};

export type Words = (typeof texts)['en'];

/** The texts of the platform on a page, in the language of the tenant if there are any. */
export function wordsOf(locale: string): Words {
  return locale.toLowerCase().startsWith('de') ? texts.de : texts.en;
}
