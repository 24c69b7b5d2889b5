// Rule: what the extension itself put into the page is no part of the page.

/** The attribute of the host elements of attachments; its value is their id. */
export const OWN = "data-actions-json-attachment";
export const isOwn = (el: Element): boolean => el.hasAttribute(OWN);
