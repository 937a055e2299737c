import type { Tone, Variant } from './words.ts';

/** Texts and timing of a sequence. */
export interface Story {
  title: string;
  trigger: { label: string; triggerType: string };
  conditionField: string;
  /** Label and subject of each e-mail; `{in}` becomes " in <industry>". */
  emails: [label: string, subject: string][];
  /** Days before the second e-mail, the third and so on; the last one repeats. */
  waits: number[];
}

/** Stories of the templates, by variant. */
export const stories: Record<Variant, Story> = {
  welcome: {
    title: 'Welcome sequence',
    trigger: { label: 'Visitor signs up', triggerType: 'form_submission' },
    conditionField: 'email_opened',
    waits: [1, 2, 3],
    emails: [
      ['Welcome', 'Welcome: how to get started'],
      ['First steps', 'Your first three steps{in}'],
      ['Quick win', 'Get your first result today'],
      ['Success story', 'How others{in} got started'],
      ['Offer of help', 'Can we help you set things up?'],
    ],
  },
  reengagement: {
    title: 'Re-engagement sequence',
    trigger: { label: 'Lead becomes inactive', triggerType: 'lead_inactive' },
    conditionField: 'link_clicked',
    waits: [3, 4, 7],
    emails: [
      ['We noticed', 'It has been a while'],
      ['What is new', 'What has changed{in} since your last visit'],
      ['Reason to return', 'An offer for your return'],
      ['Question', 'What would bring you back?'],
      ['Last message', 'Shall we stay in touch?'],
    ],
  },
  event: {
    title: 'Event sequence',
    trigger: { label: 'Visitor registers', triggerType: 'event_registration' },
    conditionField: 'email_opened',
    waits: [2, 3, 1],
    emails: [
      ['Confirmation', 'Your place is reserved'],
      ['Agenda', 'What you will learn{in}'],
      ['Reminder', 'The details of your event'],
      ['Thank you', 'Thank you for attending: here is the recording'],
      ['Next step', 'How to apply what you learned'],
    ],
  },
  launch: {
    title: 'Launch sequence',
    trigger: { label: 'Lead joins the launch list', triggerType: 'tag_added' },
    conditionField: 'link_clicked',
    waits: [2, 2, 3],
    emails: [
      ['Announcement', 'Something new is coming{in}'],
      ['The problem', 'The problem we set out to solve'],
      ['Launch', 'Now available: see what it does'],
      ['Proof', 'What the first customers say'],
      ['Offer', 'Your launch offer'],
    ],
  },
  followup: {
    title: 'Follow-up sequence',
    trigger: { label: 'Lead changes status', triggerType: 'lead_status_changed' },
    conditionField: 'email_replied',
    waits: [2, 3, 5],
    emails: [
      ['Thank you', 'Thank you for your time'],
      ['Summary', 'What we talked about, and the next step'],
      ['Example', 'An example{in} similar to yours'],
      ['Question', 'Which questions are still open?'],
      ['Decision', 'Shall we take the next step?'],
    ],
  },
  generic: {
    title: 'Email sequence',
    trigger: { label: 'Lead is created', triggerType: 'lead_created' },
    conditionField: 'email_opened',
    waits: [2, 3, 4],
    emails: [
      ['Introduction', 'Nice to meet you'],
      ['Value', 'What we can do for you{in}'],
      ['Example', 'How it works in practice'],
      ['Questions', 'Answers to common questions'],
      ['Invitation', 'Shall we talk?'],
    ],
  },
};

/** E-mails after the fifth, for all variants. */
export const furtherEmails: Story['emails'] = [
  ['Tip', 'A tip that saves time'],
  ['Customer story', 'A customer story{in}'],
  ['Checklist', 'A checklist for you'],
  ['Common mistakes', 'Three common mistakes and how to avoid them'],
  ['Comparison', 'How to choose the right option'],
  ['News', 'What we are working on'],
  ['Closing', 'Contact us when you are ready'],
];

/** Wording of a subject in each tone. */
export const subjectIn: Record<Tone, (subject: string) => string> = {
  neutral: (subject) => subject,
  friendly: (subject) => `Hi there! ${subject}`,
  formal: (subject) => `For your attention: ${subject}`,
  urgent: (subject) => `Today: ${subject}`,
};
