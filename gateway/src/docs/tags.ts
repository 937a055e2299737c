interface Tag {
  /** The beginning of the paths that belong to it; the longest one wins. */
  paths: string[];
  name: string;
  description: string;
}

const tags: Tag[] = [
  {
    paths: ['/v1/auth', '/.well-known'],
    name: 'Sign-in',
    description: 'Sessions of people: signing in and out, tokens, and the keys that verify them.',
  },
  {
    paths: ['/v1/tenants', '/v1/plans'],
    name: 'Tenants and plans',
    description: 'The account of a company: its settings and what its plan allows.',
  },
  {
    paths: ['/v1/api-keys'],
    name: 'API keys',
    description: 'Credentials of programs. Each works in one environment, live or sandbox.',
  },
  { paths: ['/v1/users'], name: 'Users', description: 'The people of a tenant.' },
  {
    paths: ['/v1/roles', '/v1/permissions'],
    name: 'Roles and permissions',
    description: 'What people and keys may do.',
  },
  {
    paths: ['/v1/leads'],
    name: 'Leads',
    description: 'People who may become customers, from the first contact to qualification.',
  },
  {
    paths: ['/v1/opportunities'],
    name: 'Opportunities',
    description: 'Deals, from a qualified lead to won or lost.',
  },
  { paths: ['/v1/tasks'], name: 'Tasks', description: 'What is to be done, by whom and until when.' },
  {
    paths: ['/v1/config'],
    name: 'Configuration',
    description: 'Definitions of your own: lead statuses and the stages of opportunities.',
  },
  {
    paths: ['/v1/partners', '/v1/public/statements'],
    name: 'Partners',
    description: 'Who brings business: registration, approval, commissions and their statements.',
  },
  {
    paths: ['/v1/partners/co-marketing', '/v1/public/co-marketing', '/s'],
    name: 'Co-marketing',
    description: 'Material that partners use and share, with links that need no sign-in.',
  },
  { paths: ['/v1/partners/portal'], name: 'Partner portal', description: 'What partners do themselves, signed in.' },
  { paths: ['/v1/campaigns'], name: 'Campaigns', description: 'Reaching many people by e-mail and SMS.' },
  {
    paths: ['/v1/campaigns/landing-pages', '/v1/public/pages'],
    name: 'Landing pages',
    description: 'Pages of a campaign, written by hand or generated.',
  },
  { paths: ['/v1/workflows'], name: 'Workflows', description: 'Sequences of steps that leads go through.' },
  {
    paths: ['/v1/campaigns/ai', '/v1/config/ai', '/v1/ai-generation', '/v1/ai'],
    name: 'AI generation',
    description: 'Sequences, landing pages, statuses, stages and structures of your own from a prompt.',
  },
  { paths: ['/v1/training'], name: 'Training', description: 'Courses with their lessons, and who takes them.' },
  {
    paths: ['/v1/files', '/v1/public/files'],
    name: 'Files',
    description: 'Uploads, and links to download them that expire.',
  },
  {
    paths: ['/v1/search'],
    name: 'Search',
    description: 'Full-text search over leads, opportunities and partners, tolerant of typing errors.',
  },
  { paths: ['/v1/analytics'], name: 'Analytics', description: 'Engagement: opens, clicks, replies, visits.' },
  {
    paths: ['/v1/agents'],
    name: 'AI agents',
    description: 'Agents that call leads and recommend the next step, run by run.',
  },
  { paths: ['/v1/teams'], name: 'Teams', description: 'Users who work together.' },
  {
    paths: ['/v1/addons'],
    name: 'Addons',
    description: 'Parts of the platform that a tenant switches on when it needs them.',
  },
  {
    paths: ['/v1/subscriptions'],
    name: 'Subscriptions',
    description: 'The plan that a tenant pays for, and how much of it is used.',
  },
  {
    paths: ['/v1/notifications'],
    name: 'Notifications',
    description: 'Messages to users of the tenant, now or at a later time.',
  },
  { paths: ['/v1/jobs'], name: 'Background work', description: 'The progress of what was answered with 202.' },
  {
    paths: ['/v1/integrations/webhooks'],
    name: 'Webhook subscriptions',
    description: 'Addresses of yours that receive events, and the record of every delivery.',
  },
  {
    paths: ['/v1/integrations/events'],
    name: 'Events',
    description: 'What happened, for programs that ask instead of being told.',
  },
  { paths: ['/v1/audit-logs'], name: 'Audit log', description: 'Who changed what, when and from where.' },
];

/** The tag of a path. A resource that has none here gets its name from the path, and a test asks for a description. */
export function tagOf(path: string): string {
  const fitting = tags.flatMap(({ paths, name }) =>
    paths.filter((start) => isUnder(path, start)).map((start) => ({ start, name })),
  );
  const [longest] = fitting.sort((a, b) => b.start.length - a.start.length);
  return longest?.name ?? fromPath(path);
}

/** The tags in use, in the order of the page. */
export function tagsOf(paths: string[]): { name: string; description?: string }[] {
  const used = new Set(paths.map(tagOf));
  const described = tags
    .filter(({ name }) => used.delete(name))
    .map(({ name, description }) => ({ name, description }));
  return [...described, ...[...used].map((name) => ({ name }))];
}

function isUnder(path: string, start: string): boolean {
  return path === start || path.startsWith(`${start}/`) || path.startsWith(`${start}:`);
}

function fromPath(path: string): string {
  const segment = (path.split('/')[2] ?? path).replaceAll('-', ' ');
  return segment.charAt(0).toUpperCase() + segment.slice(1);
}
