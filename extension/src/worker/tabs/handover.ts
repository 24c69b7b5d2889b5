// Rule of this file: a tab comes under control by the user's hand and the
// host's answer, and leaves control at once by either. Everything that belongs to a claim
// (marks, debugger, document) is set up and taken down here.

import type { Tab } from "../../protocol";
import type { Link } from "../connection/link";
import type { DebuggerOwner } from "../debugger/debugger";
import type { Injector } from "../page/inject";
import { Fault, report } from "../shared/fault";
import { restricted } from "../shared/urls";
import type { Claims } from "./claims";
import type { Documents } from "./documents";
import { leftGroup, mark, unmark } from "./marks";
import { tabOf, type TabReports } from "./tabs";

/** The beginning and the end of claims. */
export class Handover {
  /** Called when the user has handed a tab over. */
  onClaimed: (tabId: number) => void = () => {};
  /** Called when a tab is no longer claimed. */
  onReleased: (tabId: number) => void = () => {};

  private readonly releasing = new Map<number, Promise<void>>();

  constructor(
    private readonly claims: Claims,
    private readonly documents: Documents,
    private readonly injector: Injector,
    private readonly owner: DebuggerOwner,
    private readonly reports: TabReports,
    private readonly link: Link,
  ) {}

  /** The user's Take control of this tab. */
  async claim(tabId: number): Promise<Tab> {
    await this.documents.refresh(tabId);
    const tab = await tabOf(tabId, this.documents);
    this.claims.offer(tabId);
    try {
      this.accept((await this.link.request("claim", { tab })).tab_ids);
    } finally {
      this.claims.settle(tabId);
      if (!this.claims.has(tabId)) this.documents.forget(tabId);
    }
    if (!this.claims.has(tabId)) {
      throw Fault.new("tab_not_claimed", "the host did not take the tab", { dispatched: "yes" });
    }
    this.onClaimed(tabId);
    await mark(tabId, this.claims);
    this.prepare(tabId);
    return tabOf(tabId, this.documents);
  }

  /** Ends a claim here first, so that nothing more happens in the tab, then notifies the host. Concurrent calls wait for the same release. */
  release(tabId: number, reason: "user" | "ungrouped" | "closed"): Promise<void> {
    const pending = this.releasing.get(tabId);
    if (pending !== undefined) return pending;
    const ending = this.end(tabId, reason).finally(() => this.releasing.delete(tabId));
    this.releasing.set(tabId, ending);
    return ending;
  }

  private async end(tabId: number, reason: "user" | "ungrouped" | "closed"): Promise<void> {
    const group = this.claims.stateOf(tabId).group_id;
    if (!this.claims.drop(tabId)) return;
    this.takeDown(tabId, group);
    if (this.link.state.state !== "connected") return; // the next handshake no longer names the tab
    this.accept((await this.link.request("release", { tab_id: tabId, reason })).tab_ids);
  }

  /** Takes the host's complete list of claims; returns those in it that are not the user's. */
  accept(tabIds: readonly number[]): number[] {
    const groups = new Map(this.claims.ids().map((id) => [id, this.claims.stateOf(id).group_id]));
    const { removed, refused } = this.claims.accept(tabIds);
    for (const id of removed) this.takeDown(id, groups.get(id));
    return refused;
  }

  /** Takes the list of a host that has just connected, and ends there the claims that ended here after the handshake had named them. */
  async onConnected(tabIds: readonly number[]): Promise<void> {
    // All at once, before the user may hand one of them over again.
    await Promise.all(this.accept(tabIds).map(async (tab_id) => this.accept((await this.link.request("release", { tab_id, reason: "user" })).tab_ids)));
  }

  /** The user may have dragged the tab out of the group. */
  async onRegrouped(tabId: number, groupId: number): Promise<void> {
    if (!this.claims.has(tabId) || this.claims.stateOf(tabId).group_id === groupId) return;
    if (await leftGroup(tabId, this.claims)) await this.release(tabId, "ungrouped");
  }

  /** Injects the content script into the tab's document ahead of the first call. */
  prepare(tabId: number): void {
    const runtime = this.documents.current(tabId);
    if (!runtime || restricted(runtime.url)) return;
    this.injector.ensure(tabId, runtime).catch((error: unknown) => {
      // A document that went away meanwhile has a successor that is prepared itself.
      const { code } = Fault.of(error).data;
      if (code !== "runtime_replaced" && code !== "runtime_not_found" && code !== "restricted_page") {
        report(`The content script did not start in tab ${tabId}`, error);
      }
    });
  }

  private takeDown(tabId: number, group: number | undefined): void {
    const runtime = this.documents.current(tabId);
    if (runtime) this.reports.removed(tabId, runtime.id);
    this.documents.forget(tabId);
    this.reports.forget(tabId);
    this.onReleased(tabId);
    this.owner.detach(tabId).catch((error: unknown) => report(`The debugger stays on tab ${tabId}`, error));
    unmark(tabId, group).catch((error: unknown) => report(`The marks of tab ${tabId} stay`, error));
  }
}
