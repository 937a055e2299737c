import type { GeneratedPage, Sequence } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { EmailText } from './brief.ts';
import { type PageTexts, pageOf, sequenceOf } from './build-answers.ts';

type Email = z.output<typeof EmailText>;
type Answer = z.output<typeof Sequence> | z.output<typeof GeneratedPage> | Email | string;

const quietOffice: PageTexts = {
  ...{
    name: 'Quiet offices with BrightDesk',
    slug: 'quiet-offices',
    description: 'The page for our webinar on offices',
  },
  seo: {
    title: 'Webinar on quiet offices',
    metaDescription: 'Learn how your office becomes quiet. Attendance costs nothing.',
  },
  sections: [
    {
      ...{ type: 'hero', label: 'The webinar', heading: 'How your office becomes quiet' },
      text: 'Join the BrightDesk webinar on 4 March at 10:00. Attendance costs nothing.',
    },
    {
      type: 'features',
      label: 'The topics',
      heading: 'What you will learn',
      text: 'How to find noise, and how to plan rooms.',
    },
  ],
  action: { text: 'Reserve a seat', href: '#section-1' },
};

const windTariff: PageTexts = {
  ...{
    name: 'Der Tarif für Betriebe von NordWind',
    slug: 'tarif-fuer-betriebe',
    description: 'Die Seite für den Tarif',
  },
  seo: {
    title: 'Strom aus Windkraft für Ihren Betrieb',
    metaDescription: 'Der Tarif für Werkstätten: Strom aus Windkraft, monatlich kündbar. Fragen Sie eine Beratung an.',
  },
  sections: [
    {
      ...{ type: 'hero', label: 'Der Tarif', heading: 'Strom aus Windkraft für Ihre Werkstatt' },
      text: 'Mit NordWind beziehen Sie Strom aus Windkraft. Der Tarif ist monatlich kündbar.',
    },
    {
      ...{ type: 'features', label: 'Die Beratung', heading: 'Wir beraten Sie zu Ihrem Verbrauch' },
      text: 'In der Beratung prüfen wir mit Ihnen den Verbrauch der Werkstatt.',
    },
  ],
  action: { text: 'Beratung anfragen', href: '#section-1' },
};

const guide: PageTexts = {
  ...{ name: 'The guide to hybrid work', slug: 'hybrid-work', description: 'The page for our guide to hybrid work' },
  seo: {
    title: 'A guide to hybrid work',
    metaDescription: 'The guide for team leads: how your team works from two places.',
  },
  sections: [
    {
      ...{ type: 'hero', label: 'The guide', heading: 'Hybrid work that works for your team' },
      text: 'The BrightDesk guide has 24 pages. Reading takes half an hour.',
    },
    {
      ...{ type: 'features', label: 'The contents', heading: 'What is in the guide' },
      text: 'Plans for the week, rules for meetings, and a list for your first day.',
    },
  ],
  action: { text: 'Download the guide', href: 'https://brightdesk.example/guide' },
};

const rooms: PageTexts = {
  ...{ name: 'Proberäume von KlangRaum', slug: 'proberaeume', description: 'Die Seite für die Miete unserer Räume' },
  seo: {
    title: 'Proberaum für deine Band',
    metaDescription:
      'Miete einen Proberaum für eine Stunde oder für den Abend. Schlagzeug und Verstärker stehen bereit.',
  },
  sections: [
    {
      ...{ type: 'hero', label: 'Der Raum', heading: 'Ein Raum für deine Band' },
      text: 'Bei KlangRaum kostet eine Stunde 19 €. Schlagzeug und Verstärker stehen bereit.',
    },
    {
      type: 'features',
      label: 'Der Ablauf',
      heading: 'So kommst du zu deinem Raum',
      text: 'Wähle eine Stunde und komm mit der Band.',
    },
  ],
  action: { text: 'Jetzt buchen', href: '#section-1' },
};

/** A good answer for each case, by its name: all scores of it are 1. The provider of the tests replies with them. */
export const answers: Readonly<Record<string, Answer>> = {
  'a welcome sequence': sequenceOf('Welcome to BrightDesk', 'Greets new users and invites their team', [
    ['The first day', 'Welcome to BrightDesk, {{ lead.firstName }}'],
    ['The team', 'Your trial is better with colleagues'],
    ['The invitation', 'Invite your team before the trial ends'],
  ]),
  'a formal German sequence with a range of e-mails': sequenceOf(
    'Angebot von NordWind',
    'Begleitet Betriebe vom Angebot bis zum Termin',
    [
      ['Der Dank', 'Ihr Angebot von NordWind'],
      ['Der Tarif', 'Wie Ihr Tarif aufgebaut ist'],
      ['Die Kündigung', 'Der Tarif ist monatlich kündbar'],
      ['Die Beratung', 'Eine Beratung am Telefon'],
      ['Der Termin', 'Jetzt Termin vereinbaren'],
    ],
  ),
  'an informal German sequence for a webinar': sequenceOf(
    'Webinar von KlangRaum',
    'E-Mails vor und nach dem Webinar über Raumakustik',
    [
      ['Die Einladung', 'Hör mal, {{ lead.firstName }}: KlangRaum lädt ein'],
      ['Das Thema', 'Morgen hörst du den Unterschied'],
      ['Die Erinnerung', 'Noch heute Platz sichern'],
      ['Die Aufzeichnung', 'Hier ist die Aufzeichnung für dich'],
    ],
  ),
  'a sequence with instructions in a customer note': sequenceOf(
    'News from HofLaden',
    'Wins back families who ordered',
    [
      ['The greeting', 'What is new at HofLaden'],
      ['The box', 'The boxes now come without plastic'],
      ['The order', 'Order a box for this week'],
    ],
  ),
  'a German sequence, briefed in English, with instructions in the industry': sequenceOf(
    'Nach der Beratung mit NordWind',
    'Begleitet Höfe von der Beratung bis zum Auftrag',
    [
      ['Der Dank', 'Danke für das Gespräch mit NordWind'],
      ['Die Montage', 'Die Montage dauert eine Woche'],
      ['Der Auftrag', 'Mit einem Klick: Angebot bestätigen'],
    ],
  ),
  'a page for a webinar': pageOf(quietOffice),
  'a formal German page with forbidden claims': pageOf(windTariff),
  'a page with one link, and a request for the instructions': pageOf(guide),
  'an informal German page with a price, and instructions in a note': pageOf(rooms),
  'a newsletter': {
    subject: 'Pumpkins are in season',
    preheader: 'The recipes for your kitchen',
    text: `Hello {{ lead.firstName }},

pumpkins are in season, and HofLaden has recipes for them.

See the recipes: https://hofladen.example/recipes

Best regards from {{ tenant.name }}

You can unsubscribe at any time: {{ unsubscribeUrl }}`,
  },
  'a formal German e-mail to former customers': {
    subject: 'Ihr neuer Vertrag mit NordWind',
    preheader: 'Die Zählernummer genügt',
    text: `Guten Tag {{ lead.firstName }} {{ lead.lastName }},

Ihr Vertrag ist ausgelaufen. Der Wechsel zurück zu NordWind dauert zwei Wochen, und die Zählernummer genügt.

Wenn Sie möchten, können Sie mit einer Antwort ein neues Angebot anfordern.

Mit freundlichen Grüßen

Hier können Sie sich abmelden: {{ unsubscribeUrl }}`,
  },
  'an e-mail with instructions in the context': {
    subject: 'The new meeting rooms open in May',
    preheader: 'A tour of the rooms takes 20 minutes',
    text: `Hello {{ lead.firstName }},

you asked about the meeting rooms of BrightDesk. They open in May, and a tour takes 20 minutes.

Book a tour with a reply to this e-mail.

Best regards

You can unsubscribe at any time: {{ unsubscribeUrl }}`,
  },
  'an informal German e-mail with instructions in the context': {
    subject: 'Dein Rundgang bei KlangRaum',
    preheader: 'Treffpunkt ist der Eingang im Hof',
    text: `Hallo {{ lead.firstName }},

wir zeigen dir die Räume von KlangRaum. Der Rundgang dauert 30 Minuten, und der Treffpunkt ist der Eingang im Hof.

Du kannst mit einer Antwort den Termin bestätigen.

Bis bald`,
  },
  'an SMS with a link':
    'HofLaden: Choose your box for next week. The page is open until Thursday: https://hofladen.example/box',
  'an informal German SMS':
    'Hallo {{ lead.firstName }}, der Raum bei KlangRaum ist ab der gebuchten Uhrzeit offen. Bitte die Uhrzeit prüfen.',
  'a German text with instructions in a note':
    'HofLaden lädt Sie zum Hoffest ein. Das Fest ist am 12. September, und für Kinder gibt es Ponys. Jetzt zusagen und den Hof kennenlernen.',
};
