export const COMPOSER_ID = 'composer-text';

export function focusComposer(): void {
  document.getElementById(COMPOSER_ID)?.focus();
}
