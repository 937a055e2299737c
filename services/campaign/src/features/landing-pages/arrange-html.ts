import { DomUtils, parseDocument } from 'htmlparser2';

/** A page to show. */
export interface ArrangeRequest {
  /** Cleaned HTML. */
  content: string;
  sections: { sectionId: string; type: string; label: string; visible: boolean; order: number }[];
  /** The heading of a page without one. */
  title: string;
  hasForm: boolean;
}

export interface Arranged {
  html: string;
  /** Whether a visitor would see nothing except the form. */
  isEmpty: boolean;
}

type Node = ReturnType<typeof parseDocument>['children'][number];
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];

/** Marks where the page shows its form. Cleaned content has no such element. */
export const formMark = '<tandem-form></tandem-form>';
/** The fragment of the form. */
export const formAnchor = 'tp-form';

// Elements that stand beside each other in the page; everything else at the top is text, which gets a block.
const blocks = new Set(
  'address article aside blockquote details div dl figure footer h1 h2 h3 h4 h5 h6 header hr main nav ol p picture pre section table ul tandem-form'.split(
    ' ',
  ),
);
const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
// Roles of the page itself.
const pageRoles = new Set(['main', 'banner', 'contentinfo', 'application', 'presentation', 'none']);

/**
 * Arranges cleaned content as a page shows it: visible sections in their order, with classes by their type, one heading of
 * level 1, levels without gaps, unique ids, and a mark for the form. Runs in a worker thread.
 */
export function arrangeHtml({ content, sections, title, hasForm }: ArrangeRequest): Arranged {
  const page = parseDocument(`<div>${content}</div>`);
  const root = page.children[0] as Element;
  const ordered = [...sections].sort((one, other) => one.order - other.order);
  hideSections(root, ordered);
  orderSections(root, ordered);
  const isEmpty = !hasSomething(root);
  if (hasForm) placeForm(root, ordered);
  wrapTexts(root);
  for (const element of elementsIn(root)) adaptElement(element, hasForm);
  uniqueIds(root);
  levelHeadings(root, { title, hero: heroOf(root, ordered) });
  return { html: DomUtils.getInnerHTML(root), isEmpty };
}

function isElement(node: Node): node is Element {
  return node.type === 'tag';
}

function elementsIn(root: Element): Element[] {
  return DomUtils.findAll(() => true, root.children) as Element[];
}

function elementOf(html: string): Element {
  return parseDocument(html).children[0] as Element;
}

function byId(root: Element, id: string): Element | undefined {
  return (DomUtils.findOne(({ attribs }) => attribs['id'] === id, root.children) ?? undefined) as Element | undefined;
}

function hideSections(root: Element, sections: ArrangeRequest['sections']): void {
  for (const { sectionId, visible } of sections) {
    const element = visible ? undefined : byId(root, sectionId);
    if (element) DomUtils.removeElement(element);
  }
}

/** Puts the elements of the sections into the order of the sections; what belongs to none stays in its place. */
function orderSections(root: Element, sections: ArrangeRequest['sections']): void {
  const found = sections.flatMap(({ sectionId, type }) => {
    const element = root.children.find((child) => isElement(child) && child.attribs['id'] === sectionId);
    return element ? [{ element: element as Element, type }] : [];
  });
  for (const { element, type } of found)
    element.attribs['class'] = [element.attribs['class'], 'tp-section', `tp-${classOf(type)}`]
      .filter(Boolean)
      .join(' ');
  const places = new Set<Node>(found.map(({ element }) => element));
  const queue = found.map(({ element }) => element as Node);
  const children = root.children.map((child) => (places.has(child) ? (queue.shift() as Node) : child));
  for (const child of children) DomUtils.appendChild(root, child);
}

function classOf(type: string): string {
  return type.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function hasSomething(root: Element): boolean {
  return /[^\s\u00a0\u200b]/.test(DomUtils.textContent(root)) || elementsIn(root).some(({ name }) => name === 'img');
}

/** Puts the form into its section, after the sections before it, into the call to action, or to the end of the page. */
function placeForm(root: Element, sections: ArrangeRequest['sections']): void {
  const mark = elementOf(formMark);
  const visible = sections.filter((section) => section.visible);
  const own = visible.find(({ type }) => classOf(type) === 'form');
  const before = own ? visible.slice(0, visible.indexOf(own)).map(({ sectionId }) => byId(root, sectionId)) : [];
  const last = before.findLast((one) => one?.parent === root);
  const action = visible.findLast(({ type, sectionId }) => classOf(type) === 'cta' && byId(root, sectionId));
  const within = own ? byId(root, own.sectionId) : action && byId(root, action.sectionId);
  if (within || !last) DomUtils.appendChild(within ?? root, mark);
  else DomUtils.append(last, mark);
}

/** Puts texts at the top of the page into blocks, so that they get the margins of the page. */
function wrapTexts(root: Element): void {
  let block: Element | undefined;
  for (const child of [...root.children]) {
    const isBlock = isElement(child) && blocks.has(child.name);
    if (isBlock) block = undefined;
    if (isBlock || (!block && DomUtils.textContent(child).trim() === '' && !isElement(child))) continue;
    if (!block) {
      block = elementOf('<div></div>');
      DomUtils.prepend(child, block);
    }
    DomUtils.appendChild(block, child);
  }
}

function adaptElement(element: Element, hasForm: boolean): void {
  const { attribs } = element;
  if (attribs['role'] && pageRoles.has(attribs['role'].trim().toLowerCase())) delete attribs['role'];
  switch (element.name) {
    // The page has one main element, and its own header and footer.
    case 'main':
    case 'header':
    case 'footer':
      element.name = 'div';
      return;
    case 'img':
      attribs['alt'] ??= '';
      attribs['loading'] ??= 'lazy';
      return;
    // Buttons without a script do nothing, and labels without an input describe nothing.
    case 'button':
      element.name = hasForm ? 'a' : 'span';
      element.attribs = {
        class: `${attribs['class'] ?? ''} button`.trim(),
        ...(hasForm && { href: `#${formAnchor}` }),
      };
      return;
    case 'label':
      element.name = 'span';
      delete attribs['for'];
      return;
    default:
  }
}

/** Removes ids that occur twice, and those of the parts of the page around the content. */
function uniqueIds(root: Element): void {
  const seen = new Set<string>();
  for (const { attribs } of elementsIn(root)) {
    const id = attribs['id'];
    if (id === undefined) continue;
    if (seen.has(id) || id.startsWith('tp-') || !/^\S+$/.test(id)) delete attribs['id'];
    seen.add(id);
  }
}

function heroOf(root: Element, sections: ArrangeRequest['sections']): Element | undefined {
  const hero = sections.find(({ type, visible }) => visible && classOf(type) === 'hero');
  return hero && byId(root, hero.sectionId);
}

/** Leaves one heading of level 1, adds it if there is none, and closes gaps between levels. */
function levelHeadings(root: Element, { title, hero }: { title: string; hero: Element | undefined }): void {
  const found = elementsIn(root).filter(({ name }) => headings.has(name));
  const first = found.find(({ name }) => name === 'h1');
  if (!first) {
    const heading = elementOf('<h1></h1>');
    DomUtils.appendChild(
      heading,
      parseDocument(title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).children[0] as Node,
    );
    const place = hero ?? elementOf('<div class="tp-section tp-hero"></div>');
    DomUtils.prependChild(place, heading);
    if (!hero) DomUtils.prependChild(root, place);
  }
  let level = 1;
  for (const heading of found) {
    if (heading === first) {
      level = 1;
      continue;
    }
    level = Math.max(2, Math.min(Number(heading.name[1]), level + 1));
    heading.name = `h${level}`;
  }
}
