import type { Caller } from '@tandem/caller';
import { formPage, noticePage, type PageLanguage, pageLanguage } from '@tandem/pages';
import type { InTenant } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import type { PortalPurpose } from '../../portal-links.ts';

const passwordLengthMin = 8;

const texts = {
  en: {
    invitation: 'Accept the invitation',
    password_reset: 'Choose a new password',
    text: `Choose a password of at least ${passwordLengthMin} characters; a long phrase is best.`,
    label: 'Password',
    button: 'Set password',
    done: 'Your password is set. You can sign in to the partner portal now.',
    old: 'This link does not work any more',
    ask: 'It was used, replaced or has expired. Ask for a new one.',
    signIn: 'Sign in',
    portal: 'Open this link in the partner portal to sign in.',
    application: 'Your application',
    confirm: 'Confirm your e-mail address and your application for the partner program.',
    confirmButton: 'Confirm',
    confirmed: 'Your application is confirmed. You get a message when it is decided.',
  },
  de: {
    invitation: 'Einladung annehmen',
    password_reset: 'Neues Passwort wählen',
    text: `Wählen Sie ein Passwort mit mindestens ${passwordLengthMin} Zeichen; am besten ist ein langer Satz.`,
    label: 'Passwort',
    button: 'Passwort setzen',
    done: 'Ihr Passwort ist gesetzt. Sie können sich jetzt im Partnerportal anmelden.',
    old: 'Dieser Link funktioniert nicht mehr',
    ask: 'Er wurde verwendet, ersetzt oder ist abgelaufen. Fordern Sie einen neuen an.',
    signIn: 'Anmelden',
    portal: 'Öffnen Sie diesen Link im Partnerportal, um sich anzumelden.',
    application: 'Ihre Bewerbung',
    confirm: 'Bestätigen Sie Ihre E-Mail-Adresse und Ihre Bewerbung für das Partnerprogramm.',
    confirmButton: 'Bestätigen',
    confirmed: 'Ihre Bewerbung ist bestätigt. Sie erhalten eine Nachricht, sobald darüber entschieden ist.',
  },
};

interface Opened {
  token: string | undefined;
  purpose: PortalPurpose;
  caller: Caller;
  inTenant: InTenant<Tx, never>;
}

/** Finds the unused link of a page, without using it, and the language of its tenant. */
async function openLink(
  { token, purpose, caller, inTenant }: Opened,
  { portalLinks, settingsOf }: Tools,
): Promise<{ token?: string; lang: PageLanguage }> {
  const link = token === undefined ? undefined : portalLinks.read(token, [purpose]);
  if (!link || token === undefined) return { lang: 'en' };
  const { hash, tenantId, environment } = link;
  const scope = { tenantId, environment };
  const isUnused = await inTenant(scope, ({ tx }) => tx.portalToken.findFirst({ where: { hash, usedAt: null } }));
  const settings = await settingsOf({ ...scope, requestId: caller.requestId });
  return { ...(isUnused && { token }), lang: pageLanguage(settings?.locale ?? 'en') };
}

/** The page of a link to choose a password. */
export async function passwordPage(opened: Opened, tools: Tools) {
  const { token, lang } = await openLink(opened, tools);
  const words = texts[lang];
  if (token === undefined) return noticePage({ title: words.old, text: words.ask, lang });
  const type = 'password' as const;
  const autocomplete = 'new-password' as const;
  return formPage({
    title: opened.purpose === 'invitation' ? words.invitation : words.password_reset,
    text: words.text,
    lang,
    action: '/v1/partners/portal/password/reset',
    token,
    fields: [{ name: 'password', label: words.label, type, autocomplete, minLength: passwordLengthMin }],
    button: words.button,
    done: words.done,
  });
}

/** The page of a link to confirm an application. */
export async function applicationPage(opened: Opened, tools: Tools) {
  const { token, lang } = await openLink(opened, tools);
  const words = texts[lang];
  if (token === undefined) return noticePage({ title: words.old, text: words.ask, lang });
  return formPage({
    title: words.application,
    text: words.confirm,
    lang,
    action: '/v1/partners/portal/register/confirm',
    token,
    button: words.confirmButton,
    done: words.confirmed,
  });
}

/** The page of a link to sign in, which only the portal can follow. */
export async function signInPage(opened: Opened, tools: Tools) {
  const { token, lang } = await openLink(opened, tools);
  const words = texts[lang];
  if (token === undefined) return noticePage({ title: words.old, text: words.ask, lang });
  return noticePage({ title: words.signIn, text: words.portal, lang });
}
