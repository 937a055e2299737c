import { type Letter, renderLetter } from '@tandem/mail';
import type { learnerNotices } from '@tandem/training-contract';

export type LearnerNotice = (typeof learnerNotices)[number];

export interface LearnerLetterInput {
  notice: LearnerNotice;
  courseTitle: string;
  /** The public page of the certificate, for notices about one. */
  certificateUrl: string | null;
  /** The due date, the end of the access, or the end of the certificate. */
  at: Date | null;
  firstName: string;
  /** The settings of the tenant, as far as they are known. */
  tenantName: string;
  locale: string;
  timezone: string;
}

interface Words {
  hello: (name: string) => string;
  subject: Record<LearnerNotice, (course: string) => string>;
  text: Record<LearnerNotice, (course: string, on: string) => string>;
  button: string;
  /** Introduces the address below the button. */
  hint: string;
  footer: (tenant: string) => string;
  reason: string;
}

const words: Record<'en' | 'de', Words> = {
  en: {
    hello: (name) => `Hello ${name},`,
    subject: {
      enrolled: (course) => `You are enrolled in “${course}”`,
      due: (course) => `“${course}” is due soon`,
      overdue: (course) => `“${course}” is overdue`,
      expiring: (course) => `Your access to “${course}” ends soon`,
      expired: (course) => `Your access to “${course}” has ended`,
      certificate_issued: (course) => `Your certificate of “${course}”`,
      certificate_expiring: (course) => `Your certificate of “${course}” expires soon`,
    },
    text: {
      enrolled: (course, on) => `You are enrolled in the course “${course}”${on && `, due on ${on}`}.`,
      due: (course, on) => `Please complete the course “${course}” by ${on}.`,
      overdue: (course, on) => `The course “${course}” was due on ${on}. Please complete it.`,
      expiring: (course, on) => `Your access to the course “${course}” ends on ${on}.`,
      expired: (course, on) => `Your access to the course “${course}” ended on ${on}.`,
      certificate_issued: (course) => `You completed the course “${course}” and have its certificate.`,
      certificate_expiring: (course, on) => `Your certificate of the course “${course}” expires on ${on}.`,
    },
    button: 'View the certificate',
    hint: 'If the button does not work, open this address:',
    footer: (tenant) => `Sent by Tandem${tenant && ` for ${tenant}`}.`,
    reason: 'You receive this message because you take part in this course.',
  },
  de: {
    hello: (name) => `Hallo ${name},`,
    subject: {
      enrolled: (course) => `Sie sind in „${course}“ eingeschrieben`,
      due: (course) => `„${course}“ ist bald fällig`,
      overdue: (course) => `„${course}“ ist überfällig`,
      expiring: (course) => `Ihr Zugang zu „${course}“ endet bald`,
      expired: (course) => `Ihr Zugang zu „${course}“ ist beendet`,
      certificate_issued: (course) => `Ihr Zertifikat von „${course}“`,
      certificate_expiring: (course) => `Ihr Zertifikat von „${course}“ läuft bald ab`,
    },
    text: {
      enrolled: (course, on) => `Sie sind in den Kurs „${course}“ eingeschrieben${on && `, fällig am ${on}`}.`,
      due: (course, on) => `Bitte schließen Sie den Kurs „${course}“ bis ${on} ab.`,
      overdue: (course, on) => `Der Kurs „${course}“ war am ${on} fällig. Bitte schließen Sie ihn ab.`,
      expiring: (course, on) => `Ihr Zugang zum Kurs „${course}“ endet am ${on}.`,
      expired: (course, on) => `Ihr Zugang zum Kurs „${course}“ endete am ${on}.`,
      certificate_issued: (course) => `Sie haben den Kurs „${course}“ abgeschlossen und das Zertifikat erhalten.`,
      certificate_expiring: (course, on) => `Ihr Zertifikat des Kurses „${course}“ läuft am ${on} ab.`,
    },
    button: 'Zertifikat ansehen',
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
    footer: (tenant) => `Von Tandem${tenant && ` für ${tenant}`} verschickt.`,
    reason: 'Sie erhalten diese Nachricht, weil Sie an diesem Kurs teilnehmen.',
  },
};

const dateForm = { year: 'numeric', month: 'long', day: 'numeric' } as const;
const timeForm = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;

/** The message to a learner, in the language and time zone of the tenant: German for German locales, else English. */
export function learnerLetter(input: LearnerLetterInput) {
  const { notice, courseTitle, certificateUrl, at, firstName, tenantName, locale, timezone } = input;
  const language = /^de\b/i.test(locale) ? 'de' : 'en';
  const text = words[language];
  const form = new Intl.DateTimeFormat(language, { timeZone: timezone, ...dateForm, ...timeForm });
  const line = text.text[notice](courseTitle, at === null ? '' : form.format(at));
  const subject = text.subject[notice](courseTitle);
  const letter: Letter = {
    language,
    subject,
    title: subject,
    preview: line,
    paragraphs: [text.hello(firstName), line],
    ...(certificateUrl !== null && { button: { label: text.button, url: certificateUrl, hint: text.hint } }),
    footer: [text.footer(tenantName), text.reason],
  };
  return renderLetter(letter);
}
