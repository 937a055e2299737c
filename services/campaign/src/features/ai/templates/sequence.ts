import type { Sequence, SequenceNode, WorkflowEdge } from '@tandem/campaign-contract';
import type { z } from 'zod';
import { shortened, type Tone, toneOf, type Variant, variantOf } from './words.ts';

type Node = z.output<typeof SequenceNode>;
type Edge = z.output<typeof WorkflowEdge>;

export interface SequenceWish {
  prompt: string;
  industry?: string | null | undefined;
  tone?: string | null | undefined;
  emailCount?: string | null | undefined;
}

interface Story {
  title: string;
  trigger: { label: string; triggerType: string };
  conditionField: string;
  /** Label and subject of each e-mail; `{in}` becomes " in <industry>". */
  emails: [label: string, subject: string][];
  /** Days between them; the last one repeats. */
  waits: number[];
}

const stories: Record<Variant, Story> = {
  welcome: {
    title: 'Welcome sequence',
    trigger: { label: 'Somebody signs up', triggerType: 'form_submission' },
    conditionField: 'email_opened',
    waits: [1, 2, 3],
    emails: [
      ['Welcome', 'Welcome aboard: here is how to begin'],
      ['First steps', 'Your first three steps{in}'],
      ['Quick win', 'A result you can have today'],
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
      ['Reason to return', 'Something for your return'],
      ['Question', 'What would bring you back?'],
      ['Last message', 'Shall we stay in touch?'],
    ],
  },
  event: {
    title: 'Event sequence',
    trigger: { label: 'Somebody registers', triggerType: 'event_registration' },
    conditionField: 'email_opened',
    waits: [2, 3, 1],
    emails: [
      ['Confirmation', 'Your place is reserved'],
      ['Agenda', 'What you will learn{in}'],
      ['Reminder', 'See you soon: the details'],
      ['Thank you', 'Thank you for being there: the recording'],
      ['Next step', 'What to do with what you learned'],
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
      ['Launch', 'It is here: see what it does'],
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
      ['Example', 'An example{in} that resembles yours'],
      ['Question', 'Which questions are still open?'],
      ['Decision', 'Shall we go on?'],
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
      ['Questions', 'Answers to what others ask'],
      ['Invitation', 'Shall we talk?'],
    ],
  },
};

/** What a long sequence goes on with. */
const further: Story['emails'] = [
  ['Tip', 'A tip that saves time'],
  ['Customer story', 'A customer tells{in}'],
  ['Checklist', 'A checklist to keep'],
  ['Common mistakes', 'Three mistakes and how to avoid them'],
  ['Comparison', 'How to choose what fits'],
  ['News', 'What we are working on'],
  ['Closing', 'Whenever you are ready'],
];

const spoken: Record<Tone, (subject: string) => string> = {
  neutral: (subject) => subject,
  friendly: (subject) => `Hi there! ${subject}`,
  formal: (subject) => `For your attention: ${subject}`,
  urgent: (subject) => `Today: ${subject}`,
};

const emailsMax = 12;
const emailsUsual = 4;

/** How many e-mails are wished for: of "3-5" the upper bound, from 1 to 12. */
export function emailCountOf({ emailCount, prompt }: Pick<SequenceWish, 'emailCount' | 'prompt'>): number {
  const inPrompt = /(\d{1,3})[\s-]{0,3}(?:part|step|e-?mails?|messages)\b/i.exec(prompt)?.[1];
  const wished = (emailCount ?? '').match(/\d+/g) ?? (inPrompt ? [inPrompt] : [String(emailsUsual)]);
  return Math.min(emailsMax, Math.max(1, ...wished.map(Number)));
}

/** A sequence without a provider: the same wish always gives the same one. */
export function sequenceTemplate(wish: SequenceWish): z.output<typeof Sequence> {
  const story = stories[variantOf(`${wish.prompt} ${wish.industry ?? ''}`)];
  const count = emailCountOf(wish);
  const industry = shortened(wish.industry ?? '', 60);
  const say = spoken[toneOf(wish.tone)];
  const emails = [...story.emails, ...further].slice(0, count).map(([label, subject]) => ({
    label,
    subjectLine: say(subject.replace('{in}', industry && ` in ${industry}`)),
  }));
  return {
    name: industry ? `${story.title} for ${industry}` : story.title,
    description: `${count} ${count === 1 ? 'e-mail' : 'e-mails'} for: ${shortened(wish.prompt, 300)}`,
    ...graphOf(story, emails),
  };
}

/**
 * Trigger, then e-mails with waits between them. From three e-mails on, a condition stands before the third: who did
 * not react to the second is given more time.
 */
function graphOf(story: Story, emails: { label: string; subjectLine: string }[]): { nodes: Node[]; edges: Edge[] } {
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  let row = 0;
  const add = (type: Node['type'], data: Node['data'], x = 250): string => {
    const nodeId = `${type}-${nodes.filter((node) => node.type === type).length + 1}`;
    nodes.push({ nodeId, type, position: { x, y: row++ * 150 }, data });
    return nodeId;
  };
  const connect = (source: string, target: string, branch?: string) =>
    edges.push({ edgeId: `edge-${edges.length + 1}`, source, target, ...(branch && { branch }) });
  const wait = (days: number, x?: number) =>
    add('wait', { label: `Wait ${days} ${days === 1 ? 'day' : 'days'}`, duration: days, durationUnit: 'days' }, x);

  let last = add('trigger', story.trigger);
  for (const [index, email] of emails.entries()) {
    const days = story.waits[Math.min(index, story.waits.length) - 1] as number;
    if (index > 0) {
      const pause = wait(days);
      connect(last, pause);
      last = pause;
    }
    if (index !== 2) {
      const sent = add('email', email);
      connect(last, sent);
      last = sent;
      continue;
    }
    const condition = add('condition', {
      label: `Reacted to “${emails[1]?.label}”?`,
      conditionField: story.conditionField,
    });
    connect(last, condition);
    const more = wait(days, 550);
    const sent = add('email', email);
    connect(condition, sent, 'yes');
    connect(condition, more, 'no');
    connect(more, sent);
    last = sent;
  }
  return { nodes, edges };
}
