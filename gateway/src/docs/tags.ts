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
    description: 'Sign in and out, exchange tokens, and read the keys that verify them.',
  },
  {
    paths: ['/v1/tenants', '/v1/plans'],
    name: 'Tenants and plans',
    description: 'The account of a company, its settings and the plans.',
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
    description: 'What users and API keys may do.',
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
  { paths: ['/v1/tasks'], name: 'Tasks', description: 'Work for users, with a due time.' },
  {
    paths: ['/v1/config'],
    name: 'Configuration',
    description: 'Your own lead statuses and stages of opportunities.',
  },
  {
    paths: ['/v1/partners', '/v1/public/statements'],
    name: 'Partners',
    description: 'Companies and people who refer leads: registration, approval, commissions and statements.',
  },
  {
    paths: ['/v1/partners/co-marketing', '/v1/public/co-marketing', '/s'],
    name: 'Co-marketing',
    description: 'Material that partners use and share, with links that need no sign-in.',
  },
  { paths: ['/v1/partners/portal'], name: 'Partner portal', description: 'Operations for partners who are signed in.' },
  { paths: ['/v1/campaigns'], name: 'Campaigns', description: 'Campaigns by e-mail and SMS.' },
  {
    paths: ['/v1/campaigns/landing-pages', '/v1/public/pages'],
    name: 'Landing pages',
    description: 'Pages of a campaign, written by hand or generated.',
  },
  { paths: ['/v1/workflows'], name: 'Workflows', description: 'Sequences of steps that leads go through.' },
  {
    paths: ['/v1/campaigns/ai', '/v1/config/ai', '/v1/ai-generation', '/v1/ai'],
    name: 'AI generation',
    description: 'Generate sequences, landing pages, statuses, stages, text and structured data from a prompt.',
  },
  { paths: ['/v1/training'], name: 'Training', description: 'Courses, their lessons and the enrolments.' },
  {
    paths: ['/v1/files', '/v1/public/files'],
    name: 'Files',
    description: 'Uploads, and download links that expire.',
  },
  {
    paths: ['/v1/search'],
    name: 'Search',
    description: 'Full-text search over leads, opportunities and partners that accepts typing errors.',
  },
  { paths: ['/v1/analytics'], name: 'Analytics', description: 'Engagement events: opens, clicks, replies and visits.' },
  {
    paths: ['/v1/agents'],
    name: 'AI agents',
    description: 'Agents that call leads and recommend next steps.',
  },
  { paths: ['/v1/teams'], name: 'Teams', description: 'Groups of users.' },
  {
    paths: ['/v1/addons'],
    name: 'Addons',
    description: 'Optional parts of the platform.',
  },
  {
    paths: ['/v1/subscriptions'],
    name: 'Subscriptions',
    description: 'The plan of the tenant and its usage.',
  },
  {
    paths: ['/v1/notifications'],
    name: 'Notifications',
    description: 'Messages to users of the tenant, at once or scheduled.',
  },
  { paths: ['/v1/jobs'], name: 'Background work', description: 'The progress of jobs that a 202 response names.' },
  {
    paths: ['/v1/integrations/webhooks'],
    name: 'Webhook subscriptions',
    description: 'Addresses that receive events, and the log of deliveries.',
  },
  {
    paths: ['/v1/integrations/events'],
    name: 'Events',
    description: 'The events of your tenant, for programs that poll.',
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
