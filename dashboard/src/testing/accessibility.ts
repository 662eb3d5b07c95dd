import axe from 'axe-core';

/** What axe finds serious on the page. Contrast needs a real browser. */
export async function seriousFindings(): Promise<Array<[rule: string, elements: string[]]>> {
  const { violations } = await axe.run(
    // Base UI's focus guards are hidden and focusable by design: they pass the focus on at once.
    { include: [['body']], exclude: [['[data-base-ui-focus-guard]']] },
    { rules: { 'color-contrast': { enabled: false } } },
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}
