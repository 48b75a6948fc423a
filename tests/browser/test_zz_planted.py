"""temporary"""
import json
from pathlib import Path
from tests.browser import test_ahead as t
HERE = Path(__file__).parents[2] / "api/form/static/ahead"
P = [
 ("polskt_pass.js","options.bet_multiplier * playedFor;","playedFor;"),
 ("polskt_pass.js","options.merge_double_bets && failed","failed"),
 ("polskt_pass.js","options.amount_basis === 'ante_only' ? options.stake : pot","pot"),
 ("polskt_pass.js","state.options.all_one_two_declarers === 'none'","false"),
 ("polskt_pass.js","paid: options.bet_payment === 'immediate'","paid: true"),
 ("polskt_pass.js","tie === 'oldest' ? 1 : -1","1"),
 ("polskt_pass.js","options.failed_vola_declarer_bet === 'bet' && ",""),
 ("polskt_pass.js","failed_vola_declarer_bet === 'bet'","failed_vola_declarer_bet === 'never'"),
 ("polskt_pass.js","by.filter((owner) => owner !== winner)\n    .map","by.map"),
 ("polskt_pass.js","owed ? { ...bet, paid } : bet","{ ...bet, paid }"),
 ("polskt_pass.js","together ? second.by : first.by.slice(1)","together ? first.by : first.by.slice(1)"),
 ("polskt_pass.js","if (together === (laid.length === 1)) return null;",""),
 ("polskt_pass.js","!ended.outcome.la_vola;","true;"),
 ("polskt_pass.js","> MOST","> 10 * MOST"),
 ("polskt_pass.js","winner === null ? seats.length === TRICKS","winner === null ? true"),
 ("polskpas.js","options.vole_amount === 'pot'","true"),
 ("polskpas.js","const swept = options.vole_sweeps_pot","const swept = true"),
 ("polskpas.js","options.opponent_win === 'winner_takes'","false"),
 ("polskpas.js","options.vole_lost_outright === 'void'","false"),
 ("polskpas.js","if (options.vole_stop_at_loss) return","if (false) return"),
 ("polskpas.js","playOn: !options.vole_stop_at_loss","playOn: true"),
 ("polskpas.js","soloist: true, ",""),
 ("polskpas.js","2 * playedFor > MOST","false"),
 ("polskpas.js","(!said.won || winner === soloist)","true"),
 ("spader.js","-over : bid.tricks","-over : -over"),
 ("spader.js","!options.failed_nil_tricks_count","false"),
 ("spader.js","options.joint_nil_fail_bags ?","false ?"),
 ("spader.js","options.joint_nil_fail, because","-options.joint_nil, because"),
 ("spader.js","removed ? [row","false ? [row"),
 ("spader.js","count - (count % limit)) / limit","count - (count % 10)) / 10"),
 ("spader.js","-penalty * filled","-100 * filled"),
 ("spader.js","tie === 'play_on'","true"),
 ("spader.js","tie === 'play_on'","false"),
 ("spader.js","floor !== null && worst <= floor","false"),
 ("spader.js","best >= target","best >= 500"),
 ("spader.js","options.redeal_dealer === 'next' && ","false && "),
 ("spader.js","options.blind_nil_deficit_mode === 'absolute' ? -scores[side] : ",""),
 ("spader.js","behind < options.blind_nil_deficit","behind < 100"),
 ("spader.js","? options.double_blind_nil :","? true :"),
 ("spader.js","&& options.blind_nil_partner_zero","&& true"),
 ("spader.js","members(bid.side).includes(order[place]) &&",""),
 ("spader.js","if (of('swap', 'no_swap').length > bids.filter((bid) => blind(bid).length > 0).length) return null;",""),
 ("knektpass.js","options.all_pass_dealer === 'same'","false"),
 ("knektpass.js","options.exchange_quota === 'last_round'","false"),
 ("knektpass.js","options.exchange_quota === 'capped_at_5'","false"),
 ("knektpass.js","swapped && options.turn_up_counts","swapped"),
 ("knektpass.js",", options.min_trick_floor)",", 0)"),
 ("knektpass.js","finish === 'clamp_zero'","false"),
 ("knektpass.js","finish === 'exact' ?","false ?"),
 ("knektpass.js","tie === 'trick_order'","false"),
 ("knektpass.js","const each = options.penalty_per_trick","const each = 5"),
 ("knektpass.js","-options.solo_deduction","-5"),
 ("knektpass.js","seats.length > FEW","false"),
 ("told.js","pair && players","players"),
 ("told.js","phase === 'play' && seats","seats"),
 ("told.js","mayVola !== null && mayVola === action.player","true"),
 ("told.js","mayFinish !== null","true"),
 ("told.js","earlyEnd: options.allow_early_end","earlyEnd: true"),
 ("told.js","deal.tricks.length === 0 && ",""),
 ("told.js","if (deal.phase !== 'closed') return null;",""),
 ("told.js","const declarers = orderOf(state).filter((id) => deal.declarers.includes(id));","const { declarers } = deal;"),
 ("index.js","if (limit !== null &&","if (false &&"),
 ("index.js","settled({ ...state, balances }).balances[deal.dealer]","balances[deal.dealer]"),
 ("index.js","state.winner || ",""),
 ("index.js","if ((number ?? deal.number) !== deal.number) return null;",""),
 ("index.js","deal.next ?? seats","seats"),
 ("index.js","number: number + 1, dealer: next","number: number + 1, dealer"),
 ("index.js","winner: outcome.game_won ?? null","winner: null"),
]


COUNT = """async ([text, base]) => {
  const answers = JSON.parse(await (%s)(text)).map((one) => JSON.stringify(one));
  if (base === null) return answers;
  return answers.filter((one, place) => one !== base[place]).length;
}""" % t.ASK

def test_planted(lend):
    cases = list(t.some_cases(t.DEALS))
    asked = json.dumps([c.asked() for c in cases])
    phone = lend()
    t.to_the_start(phone)
    base = phone.page.evaluate(COUNT, [asked, None])
    wrong = sum(bool(t.differences(c, json.loads(a))) for c, a in zip(cases, base, strict=True))
    out = open("/tmp/planted.txt", "w")
    print("unchanged", wrong, len(cases), file=out, flush=True)
    missed = 0
    for name, old, new in P:
        text = (HERE / name).read_text()
        assert old in text, (name, old)
        phone = lend()
        phone.page.route(f"**/ahead/{name}*", lambda r, text=text: r.fulfill(body=text.replace(old, new, 1), content_type="text/javascript"))
        t.to_the_start(phone)
        try:
            n = phone.page.evaluate(COUNT, [asked, base])
        except Exception as error:
            n = f"threw {str(error)[:60]}"
        missed += not n
        print(n if n else "MISSED", name, old[:60], "->", new[:30], flush=True, file=out)
        phone.page.context.close()
    print("planted", len(P), "missed", missed, file=out, flush=True)
